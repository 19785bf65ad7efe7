#pragma once

// Numbers to bytes and back, little-endian on every machine.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace lig {

class ByteWriter {
public:
    void word(std::uint64_t x) { put(x, 8); }
    void half(std::uint32_t x) { put(x, 4); }
    void quarter(std::uint16_t x) { put(x, 2); }
    void number(double x) { word(std::bit_cast<std::uint64_t>(x)); }
    void bytes(std::span<const std::byte> some) { out.insert(out.end(), some.begin(), some.end()); }

    std::vector<std::byte> out;

private:
    void put(std::uint64_t x, int count) {
        for (int k = 0; k < count; ++k) out.push_back(static_cast<std::byte>(x >> (8 * k)));
    }
};

// `what` opens the messages of the exceptions (std::invalid_argument) that data which ends too early causes.
class ByteReader {
public:
    ByteReader(std::span<const std::byte> bytes, std::string what) : left_(bytes), what_(std::move(what)) {}

    std::uint64_t word() { return get(8); }
    std::uint32_t half() { return static_cast<std::uint32_t>(get(4)); }
    double number() { return std::bit_cast<double>(word()); }
    std::span<const std::byte> bytes(std::size_t count) {
        if (left_.size() < count) too_short();
        const std::span<const std::byte> some = left_.first(count);
        left_ = left_.subspan(count);
        return some;
    }
    std::size_t left() const { return left_.size(); }

private:
    std::uint64_t get(int count) {
        const std::span<const std::byte> some = bytes(count);
        std::uint64_t x = 0;
        for (int k = 0; k < count; ++k) x |= static_cast<std::uint64_t>(some[k]) << (8 * k);
        return x;
    }
    [[noreturn]] void too_short() const {
        throw std::invalid_argument(what_ + ": the data ends too early; the file is truncated");
    }

    std::span<const std::byte> left_;
    std::string what_;
};

}  // namespace lig
