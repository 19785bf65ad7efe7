#pragma once

// A locale with a decimal comma, in force during its lifetime. Where none is installed it is made with
// localedef from the system's own sources; where that fails too, active() is false and the test is skipped.

#include "io/support.h"

#include <clocale>
#include <cstdlib>
#include <locale>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#define LIG_TEST_LEAKS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIG_TEST_LEAKS
#endif
#endif
#ifdef LIG_TEST_LEAKS
#include <sanitizer/lsan_interface.h>
#endif

namespace lig::test {

class CommaLocale {
public:
    CommaLocale() : before_(std::setlocale(LC_ALL, nullptr)) {
#ifdef LIG_TEST_LEAKS
        // glibc itself loses a few bytes each time it looks into LOCPATH.
        const __lsan::ScopedDisabler allow_leaks;
#endif
        active_ = try_installed() || try_generated();
        if (active_) std::locale::global(std::locale(std::setlocale(LC_ALL, nullptr)));
    }
    ~CommaLocale() {
        std::locale::global(std::locale::classic());
        std::setlocale(LC_ALL, before_.c_str());
        if (changed_path_) ::unsetenv("LOCPATH");
    }
    CommaLocale(const CommaLocale&) = delete;
    CommaLocale& operator=(const CommaLocale&) = delete;

    bool active() const { return active_; }

private:
    static bool try_installed() {
        for (const char* const name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"})
            if (std::setlocale(LC_ALL, name)) return true;
        return false;
    }
    // Made once per program, since it takes a while.
    bool try_generated() {
        static const TemporaryFolder folder;
        const std::filesystem::path target = folder.path() / "de_DE.UTF-8";
        const std::string command = "localedef -i de_DE -f UTF-8 '" + target.string() + "' >/dev/null 2>&1";
        if (!std::filesystem::exists(target) && std::system(command.c_str()) != 0) return false;
        changed_path_ = ::setenv("LOCPATH", folder.path().c_str(), 1) == 0;
        return try_installed();
    }

    std::string before_;
    bool changed_path_ = false;
    bool active_ = false;
};

}  // namespace lig::test
