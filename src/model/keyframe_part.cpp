#include "model/keyframe_part.h"

#include "core/diagnostic_codes.h"

#include <algorithm>

namespace lig {

void put_keyframe_part(const KeyframeSpec& key, const std::string& who, const char* what,
                       const std::vector<double>& given, std::vector<double>& to, Diagnostics& log) {
    if (given.empty()) return;
    const std::string counts = who + ": " + what + " has " + std::to_string(given.size()) +
                               " numbers, the model needs " + std::to_string(to.size());
    if (given.size() > to.size())
        return log.report(codes::E047, key.where, counts, "see 'ligament info' for the layout");
    if (given.size() < to.size())
        log.report(codes::W191, key.where, counts + "; the rest stays as it is without the keyframe",
                   "see 'ligament info' for the layout");
    std::copy(given.begin(), given.end(), to.begin());
}

}  // namespace lig
