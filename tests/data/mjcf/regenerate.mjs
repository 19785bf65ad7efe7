// Writes NAME.json beside every NAME.xml of this folder: what MuJoCo makes of the file. The tests read the JSON
// and do not need MuJoCo; run this after adding or changing a file, and look at the difference before
// committing it.
//
//   mkdir elsewhere && cd elsewhere && npm install @mujoco/mujoco@3.14.0
//   node PATH/TO/tests/data/mjcf/regenerate.mjs [NAME…]
//
// A JSON file holds the sizes of the model, its mass, its keyframes, and three states: the reference
// configuration at rest and two random ones, with controls that leave their ranges now and then. Of each state:
//   qpos, qvel, act, ctrl, qfrc_applied, mocap_pos, mocap_quat   what was put in
//   qacc         accelerations with neither constraints nor actuators
//   qacc_ctrl    with the actuators; constraints stay off
//   xpos         positions of the bodies, by name
//   sensordata   with the actuators
// Numbers that a model has none of are left out.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = path.dirname(fileURLToPath(import.meta.url));
const entry = createRequire(path.join(process.cwd(), 'here.js')).resolve('@mujoco/mujoco');
const { default: load } = await import(pathToFileURL(entry));
const mujoco = await load({ print: () => {}, printErr: () => {} });

function copy_into_memory(from, to) {
  mujoco.FS.mkdir(to);
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), `${to}/${entry.name}`];
    if (entry.isDirectory()) copy_into_memory(source, target);
    else mujoco.FS.writeFile(target, fs.readFileSync(source));
  }
}

// Numbers in [-1, 1) that depend on the name of the file alone.
function random_numbers(name) {
  let state = 1;
  for (const character of name) state = (Math.imul(state, 31) + character.codePointAt(0)) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

const list = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const unit = (numbers) => numbers.map((x) => x / Math.hypot(...numbers));
const bit = (flag) => flag.value ?? flag;

function random_state(model, next, at_rest) {
  const qpos = Array.from(model.qpos0);
  const types = Array.from(model.jnt_type), addresses = Array.from(model.jnt_qposadr);
  if (!at_rest)
    types.forEach((type, joint) => {
      let at = addresses[joint];
      if (type === 0) for (let i = 0; i < 3; ++i) qpos[at++] += next();
      if (type <= 1) unit(list(4, next)).forEach((x, i) => (qpos[at + i] = x));
      else qpos[at] += next() * (type === 2 ? 0.1 : 0.7);
    });
  const range = Array.from(model.actuator_ctrlrange);
  const control = (i) => {
    const [low, high] = [range[2 * i], range[2 * i + 1]];
    return low === high ? next() : (low + high) / 2 + next() * (high - low) * 0.7;
  };
  return {
    qpos,
    qvel: list(model.nv, () => (at_rest ? 0 : next())),
    act: list(model.na, () => next() / 2),
    ctrl: list(model.nu, control),
    qfrc_applied: list(model.nv, () => next() / 10),
    mocap_pos: list(3 * model.nmocap, next),
    mocap_quat: list(model.nmocap, () => unit(list(4, next))).flat(),
  };
}

function evaluate(file) {
  const model = mujoco.MjModel.from_xml_path(`/models/${file}`);
  const data = new mujoco.MjData(model);
  const flags = model.opt.disableflags;
  const no_constraints = bit(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT);
  const no_actuation = bit(mujoco.mjtDisableBit.mjDSBL_ACTUATION);
  model.opt.enableflags |= bit(mujoco.mjtEnableBit.mjENBL_ENERGY);
  const body_name = (body) => mujoco.mj_id2name(model, bit(mujoco.mjtObj.mjOBJ_BODY), body);
  const next = random_numbers(file);

  const states = [true, false, false].map((at_rest) => {
    const state = random_state(model, next, at_rest);
    mujoco.mj_resetData(model, data);
    for (const [field, numbers] of Object.entries(state))
      if (numbers.length > 0) data[field].set(numbers);
      else delete state[field];
    model.opt.disableflags = flags | no_constraints | no_actuation;
    mujoco.mj_forward(model, data);
    state.qacc = Array.from(data.qacc);
    model.opt.disableflags = flags | no_constraints;
    mujoco.mj_forward(model, data);
    if (model.nu > 0) state.qacc_ctrl = Array.from(data.qacc);
    const xpos = Array.from(data.xpos);
    state.xpos = Object.fromEntries(
      list(model.nbody - 1, (i) => [body_name(i + 1), xpos.slice(3 * i + 3, 3 * i + 6)]));
    if (model.nsensor > 0) state.sensordata = Array.from(data.sensordata);
    return state;
  });

  const rows = (numbers, width) =>
    list(model.nkey, (k) => Array.from(numbers).slice(k * width, (k + 1) * width));
  const keys = {
    time: rows(model.key_time, 1),
    qpos: rows(model.key_qpos, model.nq),
    qvel: rows(model.key_qvel, model.nv),
    act: rows(model.key_act, model.na),
    ctrl: rows(model.key_ctrl, model.nu),
    mpos: rows(model.key_mpos, 3 * model.nmocap),
    mquat: rows(model.key_mquat, 4 * model.nmocap),
  };
  const { nq, nv, nu, na, njnt } = model;
  const total_mass = Array.from(model.body_mass).slice(1).reduce((sum, mass) => sum + mass, 0);
  return { mujoco: '3.14.0', nq, nv, nu, na, njnt, total_mass, ...(model.nkey > 0 ? { keys } : {}), states };
}

copy_into_memory(folder, '/models');
const wanted = process.argv.slice(2);
for (const file of fs.readdirSync(folder).sort()) {
  if (!file.endsWith('.xml')) continue;
  const name = file.slice(0, -4);
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { states, ...head } = evaluate(file);
  // One line per state, so that differences can be read.
  const lines = states.map((state) => '    ' + JSON.stringify(state)).join(',\n');
  const text = JSON.stringify(head).slice(0, -1) + ',\n  "states":[\n' + lines + ']}\n';
  JSON.parse(text);
  fs.writeFileSync(path.join(folder, `${name}.json`), text);
}
