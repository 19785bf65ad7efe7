#pragma once

#include <ligament/diagnostics.h>
#include <ligament/scene.h>

#include <string>
#include <vector>

namespace lig {

// One list of numbers of a keyframe, onto those that hold without it. A list that is shorter leaves the rest
// as it is, as in MuJoCo, with a warning. One that is longer is an error, and `to` stays.
void put_keyframe_part(const KeyframeSpec& key, const std::string& who, const char* what,
                       const std::vector<double>& given, std::vector<double>& to, Diagnostics& log);

}  // namespace lig
