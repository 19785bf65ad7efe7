#pragma once

#include <string>

namespace lig::test {

// 4 kg of rope between two pins 4.9 m apart, and 40 kg on two feet that fall on it.
inline std::string loaded_rope() {
    constexpr int links = 20;
    std::string text = R"(<mujoco><compiler angle="radian"/><worldbody>)";
    for (int k = 0; k < links; ++k) {
        const std::string name = "r" + std::to_string(k);
        text += "<body name=\"" + name + "\" " +
                (k == 0 ? R"(pos="-2.45 0 3" euler="0 0.33049458 0">)"
                        : R"(pos="0.25 0 0" euler="0 -0.034788903 0">)");
        text += R"(<joint type="ball" damping=".05"/>
            <geom type="capsule" fromto="0 0 0 0.25 0 0" size=".02" mass=".2" friction=".5"/>)";
    }
    for (int k = 0; k < links; ++k) text += "</body>";
    text += R"(<body name="weight" pos="0.1 0 3.2"><freejoint/>
        <geom type="capsule" fromto="0 -.12 -.15 0 -.12 .15" size=".03" mass="15"/>
        <geom type="capsule" fromto="0 .12 -.15 0 .12 .15" size=".03" mass="15"/>
        <geom type="box" pos="0 0 .2" size=".1 .15 .05" mass="10"/></body></worldbody><contact>)";
    for (int k = 1; k < links; ++k)
        text += "<exclude body1=\"r" + std::to_string(k - 1) + "\" body2=\"r" + std::to_string(k) + "\"/>";
    return text + R"(</contact><equality><connect body1="r19" anchor="0.25 0 0"/></equality></mujoco>)";
}

}  // namespace lig::test
