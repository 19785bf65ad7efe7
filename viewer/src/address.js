// What the address asks for behind its #: t=1.5&view=picture&camera=az,el,dist&theme=light … docs/report.md
// lists them.

const views = new Set(['motion', 'results', 'picture']);
const themes = new Set(['light', 'dark']);
const styles = new Set(['solid', 'transparent', 'wireframe']);

function numbers(text) {
    return text === null ? [] : text.split(',').map(Number);
}

export function readAddress(hash, content) {
    const asked = new URLSearchParams(hash.replace(/^#/, ''));
    const wanted = { state: {}, show: {}, camera: null };
    const pick = (key, allowed) => (allowed.has(asked.get(key)) ? { [key]: asked.get(key) } : {});
    Object.assign(wanted.state, pick('view', views), pick('theme', themes), pick('style', styles));
    if (wanted.state.theme) wanted.state.themeChosen = true;
    if (asked.has('mode')) wanted.state.mode = asked.get('mode') === 'side' ? 'side' : 'overlay';
    const time = Number(asked.get('t'));
    if (asked.has('t') && Number.isFinite(time)) wanted.time = time;
    const speed = Number(asked.get('speed'));
    if (speed > 0) wanted.state.speed = speed;
    const forceScale = Number(asked.get('force-scale'));
    if (forceScale > 0) wanted.state.forceScale = forceScale;
    for (const name of (asked.get('show') ?? '').split(',').filter(Boolean)) wanted.show[name] = true;
    for (const name of (asked.get('hide') ?? '').split(',').filter(Boolean)) wanted.show[name] = false;
    const [azimuth, elevation, distance] = numbers(asked.get('camera'));
    const target = numbers(asked.get('target'));
    if (asked.has('camera') || target.length === 3) wanted.camera = { azimuth, elevation, distance, target };
    if (asked.has('runs')) {
        const names = new Set(asked.get('runs').split(','));
        wanted.state.visible = content.runs.map((run) => run.drawn && names.has(run.name));
    }
    if (asked.has('follow')) {
        const body = content.scene.bodies.findIndex((one) => one.name === asked.get('follow'));
        if (body >= 0) wanted.state.follow = body;
    }
    if (asked.has('play')) wanted.play = asked.get('play') !== '0';
    return wanted;
}
