// Sections that are passed over or refused.

#include "io/mjcf_support.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("MJCF sections without influence on the physics are known all the same") {
    CHECK(
        read_model("<size njmax='10' memory='1M'/><statistic extent='1' center='0 0 1'/>"
                   "<visual><map force='1' znear='.01'/><global azimuth='9'/><rgba haze='1 1 1 1'/></visual>"
                   "<custom><numeric name='n' data='1 2'/><text name='t' data='x'/>"
                   "<tuple name='u'><element objtype='body' objname='b'/></tuple></custom>"
                   "<compiler><lengthrange mode='none'/></compiler>")
            .messages() == "");
    CHECK(
        read_model("<visual><map fource='1'/></visual>").messages() ==
        "m.xml:1:30: warning[W010]: attribute 'fource' of <map> is not known and was not read (did you mean "
        "'force'?)\n");
    CHECK(read_model("<visual><maps/></visual>").messages() ==
          "m.xml:1:17: warning[W011]: <maps> inside <visual> is not known and was not read (did you mean "
          "'map'?)\n");
    CHECK(count_code(read_model("<custom><numeric nam='n'/></custom>").log, "W010") == 1);
    CHECK(count_code(read_model("<size njmx='3'/>").log, "W010") == 1);
}

TEST_CASE("MJCF skins are drawn only; flexes and plugins are refused") {
    CHECK(read_model("<deformable><skin name='s' file='s.skn'/></deformable>").messages() == "");
    CHECK(read_model("<deformable><flex name='f' body='b' element='0 1 2'/></deformable>").messages() ==
          "m.xml:1:21: error[U114]: <flex> in <deformable> is not supported (Ligament has no deformable "
          "bodies)\n");
    CHECK(
        read_model("<extension><plugin plugin='mujoco.pid'/></extension>").messages() ==
        "m.xml:1:20: error[U115]: the plugin 'mujoco.pid' is not supported (Ligament has no plugins; take it "
        "out)\n");
    CHECK(count_code(read_world("<body><plugin plugin='x'/></body>").log, "U115") == 1);
}
