#include "app/run/impulse_arguments.h"

#include "app/number_option.h"

#include <fmt/format.h>

#include <cmath>

namespace lig::app {

void ImpulseArguments::declare(Arguments& arguments) {
    arguments.section(Section::impulse);
    arguments.option(substeps, "--substeps", "COUNT",
                     "impulse: of each step (default: the solver's own, or as what happens asks for)");
    arguments.flag(sleep, "--sleep", "impulse: leave islands alone that have come to rest");
    arguments.flag(no_warm_starting, "--no-warm-starting", "impulse: begin each step without impulses");
    arguments.option(bias_factor, "--bias-factor", "SHARE",
                     "impulse, classic: of an error, what a step removes (default: 0.2)");
    arguments.option(slop, "--slop", "METRES",
                     "impulse: how deep contacts may be, and limits in radians (default: 1e-4)");
    arguments.option(least_impulse, "--least-impulse", "NUMBER",
                     "impulse: sweeps end when no corrective impulse is larger, N s (default: 0)");
    arguments.option(contact_give, "--contact-give", "HERTZ,RATIO",
                     "impulse, soft-step: frequency and damping ratio of contacts (default: 30,10)");
    arguments.option(joint_give, "--joint-give", "HERTZ,RATIO",
                     "impulse, soft-step: frequency and damping ratio of joints (default: 60,5)");
    arguments.flag(increment_clamping, "--increment-clamping",
                   "impulse: clamp each corrective impulse instead of their sum, which is wrong");
}

namespace {

Softening softening(std::string_view command, std::string_view option, const std::optional<std::string>& text,
                    const Softening& otherwise) {
    if (!text) return otherwise;
    const std::size_t comma = text->find(',');
    if (comma != std::string::npos) {
        const std::optional<double> frequency = parse_number(std::string_view(*text).substr(0, comma));
        const std::optional<double> ratio = parse_number(std::string_view(*text).substr(comma + 1));
        if (frequency && ratio && *frequency > 0 && *ratio >= 0) return {*frequency, *ratio};
    }
    throw Failure(Exit::usage,
                  fmt::format("ligament {}: {} is a frequency in hertz and a damping ratio, as in "
                              "30,10, not '{}'",
                              command, option, *text));
}

}  // namespace

ImpulseOptions ImpulseArguments::interpret(std::string_view command, std::string_view formulation) const {
    const bool given = substeps || bias_factor || slop || least_impulse || contact_give || joint_give ||
                       sleep || no_warm_starting || increment_clamping;
    if (given && formulation != "impulse")
        throw Failure(Exit::usage,
                      fmt::format("ligament {}: --substeps, --sleep, --bias-factor and the like go "
                                  "with --formulation impulse, not with {}",
                                  command, formulation));
    ImpulseOptions out;
    const double count = number_option(command, "--substeps", "a whole number from 1 on", substeps, 0, 1);
    if (count != std::floor(count) || count > 1e6)
        throw Failure(
            Exit::usage,
            fmt::format("ligament {}: --substeps is a whole number from 1 on, not '{}'", command, *substeps));
    out.substeps = static_cast<int>(count);
    out.sleeping = sleep;
    out.warm_starting = !no_warm_starting;
    out.accumulated_clamping = !increment_clamping;
    out.bias_factor =
        number_option(command, "--bias-factor", "a share from 0 to 1", bias_factor, out.bias_factor, 0);
    if (out.bias_factor > 1)
        throw Failure(Exit::usage, fmt::format("ligament {}: --bias-factor is a share from 0 to 1, not '{}'",
                                               command, *bias_factor));
    out.slop = number_option(command, "--slop", "a length in metres", slop, out.slop, 0);
    out.least_impulse =
        number_option(command, "--least-impulse", "an impulse in N s", least_impulse, out.least_impulse, 0);
    out.contacts = softening(command, "--contact-give", contact_give, out.contacts);
    out.joints = softening(command, "--joint-give", joint_give, out.joints);
    return out;
}

}  // namespace lig::app
