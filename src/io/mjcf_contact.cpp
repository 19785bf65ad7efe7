// <contact>: pairs of geoms with properties of their own, and pairs of bodies that do not collide.

#include "io/mjcf_contact.h"

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "io/mjcf_values.h"

namespace lig::io::mjcf {

namespace {

void read_pair(Context& context, ElementReader& in) {
    PairFields fields = context.defaults[context.defaults.select(in, "class", DefaultClasses::main)].pair;
    read_pair_fields(in, fields, context.notes);
    PairSpec& pair = fields.spec;
    pair.name = in.text_or("name", "");
    pair.where = in.where();
    for (const char* attribute : {"geom1", "geom2"})
        if (!in.has(attribute)) in.required_text(attribute);
    pair.a = {context.geoms.find(in, "geom1")};
    pair.b = {context.geoms.find(in, "geom2")};
    in.warn_unknown();
    if (pair.a.index >= 0 && pair.b.index >= 0) context.scene.add_pair(std::move(pair));
}

void read_exclude(Context& context, ElementReader& in) {
    for (const char* attribute : {"body1", "body2"})
        if (!in.has(attribute)) in.required_text(attribute);
    const BodyId a{context.bodies.find(in, "body1")}, b{context.bodies.find(in, "body2")};
    std::string name = in.text_or("name", "");
    in.ignore({"class"});
    in.warn_unknown();
    if (a.index >= 0 && b.index >= 0) context.scene.exclude_collision(a, b, std::move(name));
}

}  // namespace

void read_pair_fields(ElementReader& in, PairFields& fields, NotRead&) {
    PairSpec& pair = fields.spec;
    assign(pair.condim, contact_dimension(in));
    assign_first(pair.friction, in.numbers("friction", 1, 5));
    assign(pair.margin, in.number("margin"));
    assign(pair.gap, in.number("gap"));
    assign(pair.adhesion, non_negative(in, "adhesion"));
    assign(pair.restitution, in.number("restitution"));
    assign_first(pair.soft.solref, in.numbers("solref", 1, 2));
    assign_first(pair.soft.solimp, in.numbers("solimp", 1, 5));
    if (const auto solref = in.numbers("solreffriction", 1, 2)) {
        std::array<double, 2> values = pair.solref_friction.value_or(std::array<double, 2>{0, 0});
        assign_first(values, solref);
        pair.solref_friction = values;
    }
}

void read_contact(Context& context, int section) {
    static constexpr std::string_view known[] = {"pair", "exclude"};
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        if (in.name() == "pair")
            read_pair(context, in);
        else if (in.name() == "exclude")
            read_exclude(context, in);
        else
            report_unknown_element(in, "contact", known);
    }
}

}  // namespace lig::io::mjcf
