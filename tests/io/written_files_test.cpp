// Files that appear whole, archives, and arrays in them, byte by byte. That NumPy reads them is tested by
// app/run_output.

#include "io/deflate.h"
#include "io/npz_write.h"
#include "io/whole_file.h"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace lig;

struct Folder {
    Folder() : path(fs::temp_directory_path() / ("ligament_files_" + std::to_string(getpid()))) {
        fs::remove_all(path);
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    fs::path path;
};

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

template <class T>
T at(const std::string& bytes, std::size_t offset) {
    T value;
    REQUIRE(offset + sizeof value <= bytes.size());
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

// Members by name, found the way a reader must: from the end of the file.
std::map<std::string, std::string> members_of(const std::string& zip) {
    std::map<std::string, std::string> members;
    const std::size_t end = zip.size() - 22, locator = end - 20;
    REQUIRE(at<std::uint32_t>(zip, end) == 0x06054b50);
    REQUIRE(at<std::uint32_t>(zip, locator) == 0x07064b50);
    const auto record = at<std::uint64_t>(zip, locator + 8);
    REQUIRE(at<std::uint32_t>(zip, record) == 0x06064b50);
    CHECK(record + 12 + at<std::uint64_t>(zip, record + 4) == locator);
    const auto count = at<std::uint64_t>(zip, record + 32);
    const auto size = at<std::uint64_t>(zip, record + 40);
    auto entry = at<std::uint64_t>(zip, record + 48);
    CHECK(entry + size == record);
    for (std::uint64_t k = 0; k < count; ++k) {
        REQUIRE(at<std::uint32_t>(zip, entry) == 0x02014b50);
        const auto name_length = at<std::uint16_t>(zip, entry + 28);
        const auto extra = at<std::uint16_t>(zip, entry + 30);
        const std::string name = zip.substr(entry + 46, name_length);
        const std::size_t facts = entry + 46 + name_length + 4;
        const auto length = at<std::uint64_t>(zip, facts);
        const auto header = at<std::uint64_t>(zip, facts + 16);
        REQUIRE(at<std::uint32_t>(zip, header) == 0x04034b50);
        CHECK(at<std::uint32_t>(zip, header + 14) == at<std::uint32_t>(zip, entry + 16));
        const std::size_t data = header + 30 + at<std::uint16_t>(zip, header + 26) +
                                 at<std::uint16_t>(zip, header + 28);
        const std::string content = zip.substr(data, length);
        CHECK(io::crc32(std::as_bytes(std::span(content))) == at<std::uint32_t>(zip, entry + 16));
        members[name] = content;
        entry += 46 + name_length + extra;
    }
    return members;
}

// "{'descr': …}" and the bytes after it.
std::pair<std::string, std::string> array_of(const std::string& npy) {
    REQUIRE(npy.substr(0, 8) == std::string("\x93NUMPY\x01\0", 8));
    const auto length = at<std::uint16_t>(npy, 8);
    CHECK((10 + length) % 64 == 0);
    const std::string header = npy.substr(10, length);
    CHECK(header.back() == '\n');
    return {header.substr(0, header.find('}') + 1), npy.substr(10 + length)};
}

TEST_CASE("the check sum is that of its standard, in one piece or several") {
    const std::string_view text = "123456789";
    const auto bytes = std::as_bytes(std::span(text));
    CHECK(io::crc32(bytes) == 0xcbf43926);  // the check value of CRC-32/ISO-HDLC
    CHECK(io::crc32(bytes.subspan(4), io::crc32(bytes.first(4))) == 0xcbf43926);
    CHECK(io::crc32({}) == 0);
}

TEST_CASE("a file appears when it is finished, and not before") {
    const Folder folder;
    const fs::path path = folder.path / "a.txt";
    std::ofstream(path) << "old";
    {
        io::WholeFile file(path);
        file.write("new");
        CHECK(read(path) == "old");
    }
    CHECK(read(path) == "old");
    {
        io::WholeFile file(path);
        file.write("new");
        file.finish();
    }
    CHECK(read(path) == "new");

    // A link stays a link.
    fs::create_symlink("a.txt", folder.path / "link.txt");
    {
        io::WholeFile file(folder.path / "link.txt");
        file.write("newer");
        file.finish();
    }
    CHECK(fs::is_symlink(folder.path / "link.txt"));
    CHECK(read(path) == "newer");
    CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 2);  // nothing else is left

    CHECK_THROWS_AS(io::WholeFile(folder.path / "no" / "a.txt"), std::system_error);
    // A device takes the bytes and stays what it is.
    {
        io::WholeFile file("/dev/null");
        file.write("gone");
        file.finish();
    }
    CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a file that grows is at its place from the moment it is put there") {
    const Folder folder;
    const fs::path path = folder.path / "a.txt";
    std::ofstream(path) << "old";
    {
        io::WholeFile file(path);
        file.write("begin");
        file.flush();
        CHECK(read(path) == "old");
        file.publish();
        CHECK(read(path) == "begin");
        file.write(", more");
        file.flush();
        CHECK(read(path) == "begin, more");
    }
    // It stays, finished or not.
    CHECK(read(path) == "begin, more");
    CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("compressed bytes come back, and nothing else does") {
    std::string text;
    for (int k = 0; k < 1000; ++k) text += std::to_string(k % 17);
    const auto bytes = std::as_bytes(std::span(text));
    for (const io::Effort effort : {io::Effort::fast, io::Effort::usual}) {
        std::vector<std::byte> stream = io::deflated(bytes, effort);
        CHECK(stream.size() < bytes.size() / 4);
        const auto back = io::inflated(stream, bytes.size());
        REQUIRE(back);
        CHECK(std::ranges::equal(*back, bytes));
        CHECK(!io::inflated(stream, bytes.size() - 1));
        CHECK(!io::inflated(stream, bytes.size() + 1));
        CHECK(!io::inflated(stream, std::size_t(1) << 40));
        stream.push_back(std::byte{0});
        CHECK(!io::inflated(stream, bytes.size()));
        stream.resize(stream.size() / 2);
        CHECK(!io::inflated(stream, bytes.size()));
    }
    const std::vector<std::byte> nothing = io::deflated({}, io::Effort::usual);
    CHECK(io::inflated(nothing, 0) == std::vector<std::byte>());
    CHECK(!io::inflated({}, 0));
}

TEST_CASE("arrays are members of an archive") {
    const Folder folder;
    const fs::path path = folder.path / "a.npz";
    const double numbers[] = {1, -2.5, 1e300, 0, 3, 4};
    const std::int64_t counts[] = {-1, std::int64_t(1) << 40};
    const std::size_t two_by_three[] = {2, 3}, two[] = {2}, none[] = {0, 3};
    {
        io::NpzWriter file(path);
        file.add("numbers", numbers, two_by_three);
        file.add("counts", counts, two);
        file.add("nothing", std::span<const double>(), none);
        // Of two, three and four bytes, and a byte that is none.
        file.add("names", std::vector<std::string>{"a", "\u00e4\u2192\U0001f600", "b\xff"});
        file.add("no_names", std::vector<std::string>{});
        file.finish();
    }
    auto members = members_of(read(path));
    CHECK(members.size() == 5);
    const auto [header, data] = array_of(members["numbers.npy"]);
    CHECK(header == "{'descr': '<f8', 'fortran_order': False, 'shape': (2,3,), }");
    REQUIRE(data.size() == sizeof numbers);
    CHECK(std::memcmp(data.data(), numbers, sizeof numbers) == 0);
    CHECK(array_of(members["counts.npy"]).first ==
          "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }");
    CHECK(at<std::int64_t>(array_of(members["counts.npy"]).second, 8) == counts[1]);
    CHECK(array_of(members["nothing.npy"]).second.empty());
    const auto [text_header, text] = array_of(members["names.npy"]);
    CHECK(text_header == "{'descr': '<U3', 'fortran_order': False, 'shape': (3,), }");
    const char32_t expected[] = {U'a', 0, 0, U'\u00e4', U'\u2192', U'\U0001f600', U'b', U'\ufffd', 0};
    REQUIRE(text.size() == sizeof expected);
    CHECK(std::memcmp(text.data(), expected, sizeof expected) == 0);
    CHECK(array_of(members["no_names.npy"]).second.empty());
}

}  // namespace
