// <keyframe>: named states. Whether their lengths fit is known when the scene is compiled.

#include "io/mjcf_context.h"
#include "io/mjcf_values.h"

#include <limits>

namespace lig::io::mjcf {

void read_keyframe(Context& context, int section) {
    static constexpr std::string_view known[] = {"key"};
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        if (in.name() != "key") {
            report_unknown_element(in, "keyframe", known);
            continue;
        }
        KeyframeSpec key{
            .name = in.text_or("name", ""), .time = in.number_or("time", 0), .where = in.where()};
        const auto read = [&](const char* attribute, std::vector<double>& numbers) {
            assign(numbers, in.numbers(attribute, 0, std::numeric_limits<int>::max()));
        };
        read("qpos", key.qpos);
        read("qvel", key.qvel);
        read("act", key.act);
        read("ctrl", key.ctrl);
        read("mpos", key.mpos);
        read("mquat", key.mquat);
        in.warn_unknown();
        context.scene.add_keyframe(std::move(key));
    }
}

}  // namespace lig::io::mjcf
