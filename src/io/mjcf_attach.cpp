#include "io/mjcf_attach.h"

#include "core/diagnostic_codes.h"
#include "io/mjcf_lists.h"
#include "io/mjcf_values.h"
#include "io/urdf.h"

#include <algorithm>
#include <system_error>

namespace lig::io::mjcf {

namespace fs = std::filesystem;

namespace {

// Models attached within models attached within models …: each level holds a file open in memory.
constexpr int deepest_attachment = 64;
constexpr int max_models = 1000;

// Relative to the folder of the main file, as MuJoCo has it; then to the file that names it.
fs::path find_model_file(Context& context, ElementReader& in, int element, const std::string& file) {
    std::vector<fs::path> tried;
    for (const XmlSource* source : {&context.document.main(), context.document[element].source}) {
        const fs::path path = (source->path().parent_path() / file).lexically_normal();
        if (std::find(tried.begin(), tried.end(), path) == tried.end()) tried.push_back(path);
    }
    std::error_code failure;
    for (const fs::path& path : tried)
        if (fs::exists(path, failure)) return path;
    std::string places;
    for (const fs::path& path : tried) places += (places.empty() ? "" : ", ") + path.string();
    in.log().report(codes::E001, in.where("file"), "the model file '" + file + "' does not exist",
                    "looked for " + places);
    return {};
}

// Whether a file is already being read, by this reader or those that attach it; then an error shows the
// chain.
bool in_circle(const Context& context, ElementReader& in, const fs::path& path) {
    std::error_code failure;
    std::vector<const Context*> chain;
    for (const Context* c = &context; c; c = c->attached_by) chain.push_back(c);
    for (std::size_t i = 0; i < chain.size(); ++i) {
        if (!fs::equivalent(chain[i]->document.main().path(), path, failure)) continue;
        std::string names;
        for (std::size_t k = i + 1; k-- > 0;)
            names += chain[k]->document.main().path().filename().string() + " → ";
        in.log().report(codes::E112, in.where("file"),
                        "the attached models go in a circle: " + names + path.filename().string(),
                        "a model cannot be part of itself; take out one of them");
        return true;
    }
    if (static_cast<int>(chain.size()) <= deepest_attachment) return false;
    in.log().report(codes::E112, in.where("file"),
                    "models are attached to models more than " + std::to_string(deepest_attachment) +
                        " levels deep");
    return true;
}

// What compile would do to the masses of the other model is not carried along.
void note_rules(const Scene& other, ElementReader& in) {
    const InertiaRules& rules = other.inertia_rules;
    if (rules.min_mass > 0 || rules.min_inertia > 0 || rules.balance || rules.total_mass)
        in.log().report(codes::W116, in.where("file"),
                        "boundmass, boundinertia, balanceinertia and settotalmass of the attached model are "
                        "not used",
                        "set them in the main file");
}

void add_assets(Context& context, AttachedModel& model, const std::string& prefix) {
    if (!model.prefixes.insert(prefix).second) return;
    for (MeshAsset mesh : model.scene.meshes()) {
        if (!take_geometry(context, mesh.mesh ? mesh.mesh->vertices.size() + mesh.mesh->faces.size() : 0,
                           mesh.where)) return;
        mesh.name = prefix + mesh.name;
        context.meshes.add(mesh.name, static_cast<int>(context.scene.meshes().size()), mesh.where,
                           context.log);
        context.scene.add_mesh(std::move(mesh));
    }
    for (HeightFieldAsset field : model.scene.height_fields()) {
        if (!take_geometry(context, 0, field.where)) return;
        field.name = prefix + field.name;
        context.hfields.add(field.name, static_cast<int>(context.scene.height_fields().size()), field.where,
                            context.log);
        context.scene.add_height_field(std::move(field));
    }
    for (const auto& [name, colour] : model.material_colours) {
        context.materials.add(prefix + name, static_cast<int>(context.material_colours.size()), {},
                              context.log);
        context.material_colours.push_back(colour);
    }
}

// Free joints only make sense where nothing above them moves or turns their coordinates.
void check_free_joints(Context& context, ElementReader& in, int first_joint) {
    const auto& joints = context.scene.joints();
    for (std::size_t j = first_joint; j < joints.size(); ++j) {
        if (joints[j].spec.type != JointType::free) continue;
        if (context.scene.bodies()[joints[j].body.index].parent == world) continue;
        in.log().report(codes::E088, in.where(),
                        "the free joint '" + joints[j].spec.name + "' would not be on a child of the world",
                        "attach the model to the world, or a body of it without the free joint");
    }
}

std::optional<TreePart> choose_part(ElementReader& in, const Scene& scene, const NameTable& bodies,
                                    const NameTable& frame_names, const std::vector<NamedFrame>& frames) {
    if (in.has("body")) {
        const int body = bodies.find(in, "body");
        if (body < 0) return {};
        if (body == world.index) return TreePart::whole(scene);
        return TreePart::below(scene, {body});
    }
    if (in.has("frame")) {
        const int frame = frame_names.find(in, "frame");
        if (frame < 0) return {};
        return TreePart::between(frames[frame].body, frames[frame].begin, frames[frame].end);
    }
    return TreePart::whole(scene);
}

// Reports options that both files set and set differently, under the policy `error`; under `merge` all by
// which the attached model would change those of the scene.
void check_conflicts(Context& context, ElementReader& in, const AttachedModel& model) {
    const ConflictPolicy policy = context.settings.conflicts;
    if (policy == ConflictPolicy::warning) return;
    const Options &own = context.scene.options, &other = model.scene.options;
    std::vector<std::string_view> names = different_options(model.written_options, own, other);
    if (policy == ConflictPolicy::error)
        std::erase_if(names, [&](std::string_view name) {
            return name == "actuatorgroupdisable" || !context.settings.written_options.contains(name);
        });
    if (policy == ConflictPolicy::merge) {
        for (const SwitchName& flag : switch_names)
            if (own.enabled.*flag.is_on && !(other.enabled.*flag.is_on)) names.emplace_back(flag.name);
        if (context.settings.gravity && !model.gravity) names.emplace_back("gravity");
    }
    if (names.empty()) return;
    std::string list;
    for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
    if (policy == ConflictPolicy::error)
        in.log().report(
            codes::E117, in.where("model"), "the attached model sets other options than this file: " + list,
            "make them the same, or write conflict=\"warning\" in <compiler> to use those of this file");
    else
        in.log().report(codes::U131, in.where("model"),
                        "joining the options of attached models is not supported, and these differ: " + list,
                        "write what is meant into <option> of this file, and conflict=\"warning\"");
}

// A body must not become part of itself.
bool holds(const Scene& scene, const TreePart& part, BodyId place) {
    for (BodyId body = place; body.index > 0; body = scene.bodies()[body.index].parent)
        if (std::binary_search(part.bodies.begin(), part.bodies.end(), body.index)) return true;
    return false;
}

}  // namespace

void AttachedModels::add(const std::string& name, AttachedModel model, const SourceLocation& where,
                         Diagnostics& log) {
    names_.add(name, static_cast<int>(models_.size()), where, log);
    models_.push_back(std::move(model));
}

AttachedModel* AttachedModels::find(ElementReader& in, const char* attribute) {
    const int index = names_.find(in, attribute);
    return index < 0 ? nullptr : &models_[index];
}

Context::Context(const XmlSource& main, Diagnostics& diagnostics, const Context* attaching)
    : document(main, diagnostics),
      log(diagnostics),
      attached_by(attaching),
      budget(attaching ? attaching->budget : std::make_shared<Budget>()),
      models(std::make_unique<AttachedModels>()) {}

Context::~Context() = default;

void read_model_asset(Context& context, int element) {
    ElementReader in = context.document.reader(element);
    const std::string file = in.required_text("file");
    const std::optional<std::string> given_name = in.text("name");
    in.ignore({"content_type"});
    in.warn_unknown();
    if (file.empty()) return;
    const fs::path path = find_model_file(context, in, element, file);
    XmlSource source;
    AttachedModel model;
    bool usable = !path.empty() && !in_circle(context, in, path);
    // Ten models that each attach ten that each attach ten …
    if (usable && ++context.budget->models > max_models) {
        in.log().report(codes::E111, in.where("file"),
                        "more than " + std::to_string(max_models) + " model files are attached",
                        "put what is used often into one file");
        usable = false;
    }
    if (!usable) {
        model.broken = true;
        context.models->add(given_name.value_or(""), std::move(model), in.where(), context.log);
        return;
    }
    if (source.load_file(path, context.log, FileKind::regular)) {
        const std::string_view root = source.root().name();
        if (root == "mujoco") {
            Context inner(source, context.log, &context);
            read_document(inner);
            model.scene = std::move(inner.scene);
            model.written_options = inner.settings.written_options;
            model.gravity = inner.settings.gravity;
            model.frames = std::move(inner.frames);
            model.material_colours = inner.materials.named(inner.material_colours);
        } else if (root == "robot") {
            model.scene = read_urdf(source, {}, context.log);
        } else {
            context.log.report(codes::E113, source.locate(source.root()),
                               "the root element <" + std::string(root) + "> cannot be attached",
                               "a model starts with <mujoco> or <robot>");
        }
    }
    note_rules(model.scene, in);
    for (std::size_t i = 0; i < model.scene.bodies().size(); ++i)
        model.bodies.add(model.scene.bodies()[i].spec.name, static_cast<int>(i), {}, context.log);
    for (std::size_t i = 0; i < model.frames.size(); ++i)
        model.frame_names.add(model.frames[i].name, static_cast<int>(i), {}, context.log);
    const std::string name = given_name ? *given_name : model.scene.name;
    context.models->add(name, std::move(model), in.where(), context.log);
}

void read_attach(Context& context, int element, BodyId parent, const Pose& frame) {
    ElementReader in = context.document.reader(element);
    const std::optional<std::string> prefix = in.text("prefix");  // may be empty
    if (!prefix) in.required_text("prefix");
    const Affix names{prefix.value_or(""), {}};
    in.ignore({"model", "body", "frame"});
    in.warn_unknown();
    if (in.has("body") && in.has("frame")) {
        in.log().report(codes::E088, in.where("frame"), "<attach> names both a body and a frame",
                        "keep one of them");
        return;
    }
    const int first_joint = static_cast<int>(context.scene.joints().size());
    if (in.has("model")) {
        AttachedModel* model = context.models->find(in, "model");
        if (!model || model->broken) return;
        check_conflicts(context, in, *model);
        const auto part = choose_part(in, model->scene, model->bodies, model->frame_names, model->frames);
        if (!part || !context.assembly.fits(context.scene, 1, part->size(), in.where(), context.log)) return;
        add_assets(context, *model, names.prefix);
        context.assembly.attach(context, model->scene, *part, parent, frame, names);
    } else {
        if (!in.has("body") && !in.has("frame")) {
            in.log().report(codes::E088, in.where(), "<attach> names neither a model nor a body or frame",
                            "add model=\"…\", or body=\"…\" for a copy of a body above");
            return;
        }
        const auto part =
            choose_part(in, context.scene, context.bodies, context.frame_names, context.frames);
        if (!part || !context.assembly.fits(context.scene, 1, part->size(), in.where(), context.log)) return;
        const bool whole_world = in.has("body") && context.bodies.find(in, "body") == world.index;
        const bool open_frame = in.has("frame") && context.frames[context.frame_names.find(in, "frame")].open;
        if (whole_world || open_frame || holds(context.scene, *part, parent)) {
            in.log().report(codes::E112, in.where(), "a body or frame cannot be attached to itself",
                            "attach it at a place outside of it");
            return;
        }
        context.assembly.duplicate(context, *part, parent, frame, names);
    }
    check_free_joints(context, in, first_joint);
}

}  // namespace lig::io::mjcf
