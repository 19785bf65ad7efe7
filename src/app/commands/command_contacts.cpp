// Where the geoms of a model touch in given states.

#include "app/commands.h"
#include "app/dynamics/contact_picture.h"
#include "app/dynamics/dynamics_job.h"
#include "app/file_failure.h"
#include "app/json_output.h"
#include "app/number_option.h"
#include "app/table.h"
#include "io/whole_file.h"

#include <ligament/collision.h>
#include <ligament/dynamics.h>

#include <fmt/format.h>

#include <optional>
#include <system_error>

namespace lig::app {

namespace {

struct ContactOptions {
    StateOptions job;
    std::optional<std::string> margin;
    std::string picture;
    bool json = false;

    void declare(Arguments& arguments) {
        job.declare(arguments);
        arguments.option(margin, "--margin", "METRES",
                         "report contacts up to this distance beyond the margins");
        arguments.option(picture, "--svg", "FILE", "draw the geoms, contacts and normals of the only state")
            .file({".svg"});
        arguments.flag(json, "--json", "print one JSON document");
    }
};

Json contact_json(const Names& names, const Contacts& contacts, const Contact& contact) {
    const Manifold& manifold = contacts.manifolds[contact.manifold];
    const ContactProperties& properties = contacts.properties[manifold.properties];
    return {{"geom1", names.geoms[manifold.geom_a]},
            {"geom2", names.geoms[manifold.geom_b]},
            {"distance", contact.distance},
            {"normal", to_json(contact.normal)},
            {"point1", to_json(contact.on_a)},
            {"point2", to_json(contact.on_b)},
            {"feature", contact.feature},
            {"part", manifold.part},
            {"active", manifold.active},
            {"condim", properties.condim},
            {"friction", to_json(properties.friction)},
            {"restitution", properties.restitution},
            {"margin", properties.margin},
            {"gap", properties.gap},
            {"solref", to_json(properties.soft.solref)},
            {"solimp", to_json(properties.soft.solimp)}};
}

void print_text(const Names& names, const Contacts& contacts) {
    if (contacts.contacts.empty()) {
        fmt::print("no contacts\n");
        return;
    }
    Table table({"geom 1", "geom 2", "distance [m]", "point", "normal", "friction"}, {2});
    const auto vector_text = [](const Vec3d& v) {
        return fmt::format("{:.4g} {:.4g} {:.4g}", v.x + 0.0, v.y + 0.0, v.z + 0.0);
    };
    for (const Contact& contact : contacts.contacts) {
        const Manifold& manifold = contacts.manifolds[contact.manifold];
        table.add({names.geoms[manifold.geom_a], names.geoms[manifold.geom_b], number_text(contact.distance),
                   vector_text(0.5 * contact.on_a + 0.5 * contact.on_b), vector_text(contact.normal),
                   number_text(contacts.properties[manifold.properties].friction[0])});
    }
    table.print();
}

void write_picture(const std::string& path, const CollisionWorkspace& ws) {
    try {
        io::WholeFile file(path);
        file.write(contact_picture(ws, {}));
        file.finish();
    } catch (const std::system_error& error) { throw cannot_write(path, error.code()); }
}

}  // namespace

Exit run_contacts(Arguments& arguments) {
    ContactOptions options;
    options.declare(arguments);
    if (!arguments.parse()) return Exit::ok;
    const CollisionOptions collision{.speculative_distance =
                                         number_option("contacts", "--margin", "a distance in metres",
                                                       options.margin, 0, 0)};

    const DynamicsJob job = load_job(options.job);
    if (!options.picture.empty() && job.states.size() != 1)
        throw Failure(Exit::usage, fmt::format("ligament contacts: --svg draws one state, and there are {}",
                                               job.states.size()));
    Workspace<double> ws(job.loaded.model);
    CollisionWorkspace contacts(job.loaded.model);
    Json states = Json::array();
    for (std::size_t i = 0; i < job.states.size(); ++i) {
        clear_contacts(contacts);
        find_contacts_at(job, i, collision, ws, contacts);
        if (!options.picture.empty()) write_picture(options.picture, contacts);
        if (options.json) {
            Json list = Json::array();
            for (const Contact& contact : contacts.contacts.contacts)
                list.push_back(contact_json(job.names, contacts.contacts, contact));
            states.push_back({{"contacts", std::move(list)}});
            continue;
        }
        if (job.states.size() > 1) fmt::print("{}state {}\n\n", i == 0 ? "" : "\n", i);
        print_text(job.names, contacts.contacts);
    }
    if (options.json) print_json({{"states", std::move(states)}});
    return Exit::ok;
}

}  // namespace lig::app
