#include "app/dynamics/disable.h"

#include "app/arguments.h"
#include "app/comma_list.h"
#include "app/failure.h"

#include <fmt/format.h>

namespace lig::app {

namespace {

struct Word {
    std::string_view name;
    std::vector<bool Disabled::*> parts;
};

const std::vector<Word>& disable_words() {
    static const std::vector<Word> words{
        {"contact", {&Disabled::contact}},
        {"limit", {&Disabled::limit}},
        {"equality", {&Disabled::equality}},
        {"frictionloss", {&Disabled::frictionloss}},
        {"actuation", {&Disabled::actuation}},
        {"spring", {&Disabled::spring}},
        {"damper", {&Disabled::damper}},
        {"gravity", {&Disabled::gravity}},
        {"constraint", {&Disabled::contact, &Disabled::limit, &Disabled::equality, &Disabled::frictionloss}},
    };
    return words;
}

}  // namespace

std::vector<std::string_view> Disabled::words() {
    std::vector<std::string_view> names;
    for (const Word& word : disable_words()) names.push_back(word.name);
    return names;
}

Disabled Disabled::parse(const std::vector<std::string>& words) {
    Disabled result;
    for (const std::string& name : split_at_commas(words)) {
        bool known = false;
        for (const Word& word : disable_words()) {
            if (word.name != name) continue;
            known = true;
            for (const auto part : word.parts) result.*part = true;
        }
        if (known) continue;
        const std::string suggestion = did_you_mean(name, Disabled::words());
        throw Failure(
            Exit::usage,
            fmt::format("ligament: --disable does not know '{}'{}", name,
                        suggestion.empty() ? "; there are: " + join(Disabled::words()) : suggestion));
    }
    return result;
}

std::string Disabled::help() { return "leave out any of " + join(words()) + " (the first four)"; }

void Disabled::apply(Scene& scene) const {
    if (gravity) scene.options.gravity = {0, 0, 0};
    Switches& enabled = scene.options.enabled;
    enabled.contact &= !contact;
    enabled.limit &= !limit;
    enabled.equality &= !equality;
    enabled.friction_loss &= !frictionloss;
    enabled.actuation &= !actuation;
    enabled.spring &= !spring;
    enabled.damper &= !damper;
}

}  // namespace lig::app
