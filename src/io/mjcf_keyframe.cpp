// <keyframe>: named states. Whether their lengths fit is known when the scene is compiled.

#include "io/mjcf_context.h"
#include "io/mjcf_lists.h"
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
        for (const KeyframeNumbers& part : keyframe_numbers)
            assign(key.*part.numbers, in.numbers(part.name, 0, std::numeric_limits<int>::max()));
        in.warn_unknown();
        context.scene.add_keyframe(std::move(key));
    }
}

}  // namespace lig::io::mjcf
