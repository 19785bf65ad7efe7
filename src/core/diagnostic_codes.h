#pragma once

// Every code a diagnostic may carry. One line each; a test checks docs/diagnostics.md against this list.
// E: the input is wrong. W: suspicious or not read, the result may differ from what was meant.
// U: understood, but not supported. Codes are never reused.
//   000–029 files, XML, numbers   030–059 the model   060–079 URDF   080–099 MJCF   100–109 meshes
//   110–119 structure of MJCF   120–139 its tendons, actuators, sensors, cameras, equalities   140–149
//   collision   150–159 motion clips   160–169 constraints between two bodies   170–179 springs
//   180–189 paths of kinematic bodies   190–199 the model, continued

#include <ligament/diagnostics.h>

#define LIG_FOR_EACH_DIAGNOSTIC(X)                                                                       \
    X(E001, "the file cannot be read", error, io)                                                        \
    X(E002, "the file is empty", error, input)                                                           \
    X(E003, "the XML is not well formed", error, input)                                                  \
    X(E004, "the root element is of no known format", error, input)                                      \
    X(E005, "a required attribute is missing", error, input)                                             \
    X(E006, "a number is malformed, not finite or out of range", error, input)                           \
    X(E007, "the wrong count of numbers", error, input)                                                  \
    X(E008, "not one of the allowed words", error, input)                                                \
    X(E009, "a required element is missing", error, input)                                               \
    X(W010, "an attribute is not known and was not read", warning, input)                                \
    X(W011, "an element is not known and was not read", warning, input)                                  \
    X(W012, "the file of a mesh or height field was not found", warning, input)                          \
    X(W013, "the text is not valid UTF-8 and was read as Latin-1", warning, input)                       \
    X(E014, "values that exclude each other", error, input)                                              \
    X(E015, "this is not a file that can be read whole", error, input)                                   \
    X(E016, "the file is longer than any model", error, input)                                           \
    X(U017, "entities of a document type are not expanded", error, unsupported)                          \
    X(E018, "a name or path is too long", error, input)                                                  \
    X(E030, "two objects of a kind have the same name", error, input)                                    \
    X(E031, "a number is not finite or out of its range", error, input)                                  \
    X(E032, "an axis has no direction", error, input)                                                    \
    X(E033, "a mass is negative", error, input)                                                          \
    X(E034, "an inertia is indefinite", error, input)                                                    \
    X(W035, "an inertia violates the triangle inequality", warning, input)                               \
    X(U036, "the mass of this shape is not computed yet", error, unsupported)                            \
    X(E037, "the sizes of a shape are wrong", error, input)                                              \
    X(E038, "a range is upside down", error, input)                                                      \
    X(E039, "a kinematic body is not directly below the world or has joints", error, input)              \
    X(E040, "a free joint shares its body with other joints", error, input)                              \
    X(U041, "the joints of one body have more than six freedoms", error, unsupported)                    \
    X(E042, "a joint moves no inertia", error, input)                                                    \
    X(W043, "the joints of one body depend on each other", warning, input)                               \
    X(E044, "a loop holds nothing together", error, input)                                               \
    X(W045, "a loop joins two bodies of one link", warning, input)                                       \
    X(E046, "a coupling needs two different joints of one coordinate", error, input)                     \
    X(E047, "a keyframe does not fit the model", error, input)                                           \
    X(W048, "a setting has no effect on a joint of this kind", warning, input)                           \
    X(W049, "a quaternion is zero", warning, input)                                                      \
    X(W050, "a coupling names a fixed joint and was left out", warning, input)                           \
    X(E051, "a tendon or actuator acts on a joint that does not fit", error, input)                      \
    X(E052, "the path of a tendon is incomplete", error, input)                                          \
    X(W053, "a tendon has no length", warning, input)                                                    \
    X(W054, "a crank does not reach its slider", warning, input)                                         \
    X(E055, "a setting does not fit the actuator", error, input)                                         \
    X(U056, "a tendon that wraps has inertia", error, unsupported)                                       \
    X(E057, "a sensor does not fit its object", error, input)                                            \
    X(U058, "the medium's forces on this shape are not computed", error, unsupported)                    \
    X(E059, "a body that moves by its kind is not directly below the world or has joints", error, input) \
    X(E060, "xacro has to be run first", error, input)                                                   \
    X(W061, "a definition of xacro is left over", warning, input)                                        \
    X(W062, "elements of an extension were not read", warning, input)                                    \
    X(E063, "the robot has no links", error, input)                                                      \
    X(E064, "the links form several trees", error, input)                                                \
    X(E065, "the joints form a cycle", error, input)                                                     \
    X(E066, "a link has two parents", error, input)                                                      \
    X(E067, "no link or joint has this name", error, input)                                              \
    X(E068, "a name is used twice", error, input)                                                        \
    X(E069, "the axis of a joint has no direction", error, input)                                        \
    X(E070, "the limits of a joint contradict each other", error, input)                                 \
    X(W071, "the limits of a joint are incomplete or have no effect", warning, input)                    \
    X(E072, "a mimic joint cannot follow its leader", error, input)                                      \
    X(W073, "mimic without effect", warning, input)                                                      \
    X(E074, "the name of the free base joint is taken", error, input)                                    \
    X(W075, "no material has this name", warning, input)                                                 \
    X(W076, "a shape without extent was left out", warning, input)                                       \
    X(W077, "the robot has no name", warning, input)                                                     \
    X(W078, "a mimic joint follows one that does not exist and moves freely", warning, input)            \
    X(E080, "the default class does not exist", error, input)                                            \
    X(E081, "a default class is wrongly named or defined twice", error, input)                           \
    X(E082, "a file is included twice or includes itself", error, input)                                 \
    X(E083, "an orientation or axis is ambiguous or has no length", error, input)                        \
    X(E084, "a name refers to nothing", error, input)                                                    \
    X(E085, "the limits or coupling of a joint make no sense", error, input)                             \
    X(E086, "two objects have the same name", error, input)                                              \
    X(E087, "the geometry of a geom is incomplete or contradictory", error, input)                       \
    X(E088, "an element or attribute is not allowed in this place", error, input)                        \
    X(U090, "an element that builds bodies is not supported", error, unsupported)                        \
    X(U091, "a feature of the format is not supported", error, unsupported)                              \
    X(W092, "an element is not read yet", warning, input)                                                \
    X(W093, "an attribute or option is not honoured yet", warning, input)                                \
    X(W094, "an attribute has no effect here", warning, input)                                           \
    X(W095, "a ball is limited without a range and does not turn", warning, input)                       \
    X(E100, "a mesh is needed and its file was not found", error, input)                                 \
    X(E101, "the file of a mesh or height field is malformed", error, input)                             \
    X(W102, "the file of a mesh could not be used and was left out", warning, input)                     \
    X(E103, "the mass of a mesh cannot be computed", error, input)                                       \
    X(E104, "the vertices, faces or parameters of a mesh are wrong", error, input)                       \
    X(E105, "the heights or sizes of a height field are wrong", error, input)                            \
    X(E110, "a contact pair names one geom twice", error, input)                                         \
    X(E111, "a file asks for more objects than can be held", error, input)                               \
    X(E112, "attached models form a circle", error, input)                                               \
    X(E113, "a model to attach cannot be read", error, input)                                            \
    X(U114, "deformable bodies are not supported", error, unsupported)                                   \
    X(U115, "plugins are not supported", error, unsupported)                                             \
    X(W116, "settings of an attached model are not used", warning, input)                                \
    X(E117, "an attached model sets other options", error, input)                                        \
    X(E120, "the range or spring of a tendon or actuator makes no sense", error, input)                  \
    X(E121, "the path of a tendon is wrong", error, input)                                               \
    X(E122, "an actuator does not say what it acts on", error, input)                                    \
    X(E123, "the values of an actuator contradict each other", error, input)                             \
    X(U124, "an actuator is of a kind that is not supported", error, unsupported)                        \
    X(U125, "a sensor is of a kind that is not supported", error, unsupported)                           \
    X(E127, "a sensor does not say what it measures", error, input)                                      \
    X(E128, "the lens, sensor or target of a camera makes no sense", error, input)                       \
    X(U129, "an equality of deformable bodies is not supported", error, unsupported)                     \
    X(U130, "a moving surface is not supported", error, unsupported)                                     \
    X(U131, "joining the options of attached models is not supported", error, unsupported)               \
    X(E140, "a shape cannot collide", error, input)                                                      \
    X(E141, "a shape for bodies that do not move is on one that does", error, input)                     \
    X(E142, "the mesh or height field of a colliding geom does not exist", error, input)                 \
    X(W143, "geoms collide with nothing because their meshes were not read", warning, input)             \
    X(W144, "the geoms of a contact pair can never touch", warning, input)                               \
    X(W145, "two geoms are paired twice", warning, input)                                                \
    X(E150, "a motion clip is malformed", error, input)                                                  \
    X(E151, "a motion clip has nothing for the model", error, input)                                     \
    X(W152, "a motion clip is longer or shorter than it says", warning, input)                           \
    X(W153, "joints of a motion clip are not in the model", warning, input)                              \
    X(W154, "a joint can follow only part of a clip's motion", warning, input)                           \
    X(E155, "the map of a motion clip names what is not there", error, input)                            \
    X(E156, "a motion clip holds several skeletons", error, input)                                       \
    X(E157, "the times of a motion clip do not rise", error, input)                                      \
    X(E158, "the file of a motion clip has no ending that tells its format", error, input)               \
    X(E160, "a constraint between two bodies has parameters that cannot be", error, input)               \
    X(W161, "a constraint joins bodies that cannot move relative to each other", warning, input)         \
    X(W162, "a constraint is undefined at the reference configuration", warning, input)                  \
    X(E163, "the centre of mass or momentum of a subtree cannot be held", error, input)                  \
    X(E164, "a coupling holds a tendon at a length that cannot be held", error, input)                   \
    X(E170, "a stiffness about three axes is where it cannot be", error, input)                          \
    X(E171, "a bushing has parameters that cannot be", error, input)                                     \
    X(W172, "a bushing has no effect", warning, input)                                                   \
    X(E173, "an elastic body cannot be as it is described", error, input)                                \
    X(U174, "not with a body that deforms", error, unsupported)                                          \
    X(E180, "the paths of kinematic bodies are malformed", error, input)                                 \
    X(E181, "a path is of a body that is not there or not kinematic", error, input)                      \
    X(E182, "the times of paths do not rise", error, input)                                              \
    X(W190, "an inertia is indefinite, but counts only with those it is welded to", warning, input)      \
    X(W191, "a keyframe is shorter than the model needs", warning, input)                                \
    X(E192, "the length of a muscle has no range", error, input)                                         \
    X(W193, "a muscle's range of lengths was found by the limits of joints alone", warning, input)       \
    X(U194, "not with a joint that closes a loop", error, unsupported)

namespace lig::codes {

#define LIG_DEFINE_CODE(id, title, severity, kind) \
    inline constexpr DiagnosticCode id{#id, title, Severity::severity, ErrorKind::kind};
LIG_FOR_EACH_DIAGNOSTIC(LIG_DEFINE_CODE)
#undef LIG_DEFINE_CODE

}  // namespace lig::codes
