// The page as a whole: its state, its parts, and the frames.
import { readAddress } from './address.js';
import { colorPlaces } from './colors.js';
import { makeHook } from './hook.js';
import { listenToKeys } from './keyboard.js';
import { listenToPointer, makeBodyCard } from './page/body_card.js';
import { makeAbout, makeHelp } from './page/dialogs.js';
import { element } from './page/dom.js';
import { makeHeader } from './page/header.js';
import { makeLegend } from './page/legend.js';
import { makeCorner, makeToolbar } from './page/toolbar.js';
import { makeTransport } from './page/transport.js';
import { Playback, timeRange } from './playback.js';
import { makeTimePlots } from './plots/time_plots.js';
import { makeResults } from './results/results.js';
import { controlCamera } from './stage/camera.js';
import { Stage } from './stage/stage.js';
import { createStore } from './store.js';
import { chooseTheme, followSystemTheme, systemTheme } from './theme.js';

const styles = ['solid', 'transparent', 'wireframe'];
const mostFrameTimes = 240;

export class App {
    constructor(content, root) {
        this.content = content;
        this.root = root;
        this.places = colorPlaces(content.runs);
        this.range = timeRange(content.runs);
        const drawn = content.runs.filter((run) => run.drawn);
        this.has = {
            several: drawn.length > 1,
            joints: content.scene.joints.some((joint) => joint.type !== 'free'),
            contacts: drawn.some((run) => run.contacts?.points.length > 0),
            links: content.scene.links.length > 0,
            center: drawn.some((run) => run.com),
        };
        this.frameTimes = [];
        this.waiting = [];
        this.asked = false;
        const wanted = readAddress(window.location.hash, content);
        this.store = createStore({
            time: this.range.start,
            playing: false,
            speed: 1,
            loop: true,
            view: drawn.length ? 'motion' : 'results',
            mode: 'overlay',
            style: 'solid',
            forceScale: 1,
            theme: systemTheme(),
            themeChosen: false,
            selected: null,
            follow: null,
            visible: content.runs.map((run) => run.drawn),
            ...wanted.state,
            show: {
                shapes: true,
                joints: false,
                contacts: false,
                forces: false,
                gaps: this.has.links && wanted.state.view !== 'picture',
                center: false,
                frames: false,
                shadows: false,
                ...wanted.show,
            },
        });
        this.playback = new Playback(content.runs, this.store, this.range);
        if (wanted.time !== undefined) this.playback.seek(wanted.time);
        const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
        this.autoplay =
            wanted.play ?? (wanted.time === undefined && this.store.state.view === 'motion' && !still);
        this.build(wanted);
        this.hook = makeHook(this);
    }

    build(wanted) {
        const { store } = this;
        // First of all listeners: the others lay out what this makes visible.
        store.listen((state, changed) => {
            if (changed.has('theme') || changed.has('view') || changed.has('mode')) this.arrange(state);
        });
        this.help = makeHelp();
        this.about = makeAbout(this.content);
        this.plots = makeTimePlots(this);
        this.results = makeResults(this);
        this.surface = element('div', { class: 'surface' });
        this.legend = makeLegend(this);
        const { node: plots } = this.plots;
        this.motion = element(
            'main',
            { class: plots.hidden ? 'motion alone' : 'motion', 'aria-label': 'Motion' },
            element('div', { class: 'stage' }, makeToolbar(this), this.surface, makeTransport(this)),
            plots,
        );
        this.root.replaceChildren(makeHeader(this), this.motion, this.results.node);
        this.buildStage(wanted);
        store.listen((state, changed) => this.changed(state, changed));
        this.arrange(store.state);
        listenToKeys(this);
        followSystemTheme(store);
        new ResizeObserver(() => this.resize()).observe(this.surface);
    }

    buildStage(wanted) {
        const canvas = element('canvas', { 'aria-label': 'The scene in three dimensions', tabindex: 0 });
        const layer = element('div', { class: 'layer', 'aria-hidden': 'true' });
        const drawn = this.content.runs.some((run) => run.drawn);
        try {
            if (drawn) this.stage = new Stage(this.content, canvas, layer, this.places);
        } catch (error) {
            this.stage = null;
            console.info(`no WebGL: ${error.message}`);
        }
        if (!this.stage) {
            this.surface.append(
                element(
                    'p',
                    { class: 'no-stage' },
                    drawn
                        ? 'This browser shows no 3D graphics (WebGL 2 is missing or turned off). Plots and figures are all here.'
                        : 'No motion was recorded. The figures are under Results.',
                ),
                this.legend,
            );
            return;
        }
        if (wanted.show.shadows === undefined)
            this.store.show({ shadows: !this.stage.quality.software || this.store.state.view === 'picture' });
        if (wanted.camera) this.stage.orbit.set(wanted.camera);
        this.card = makeBodyCard(this);
        const tip = element('div', { class: 'name-tip card', hidden: true });
        this.surface.append(canvas, layer, this.legend, this.card.card, makeCorner(this), tip);
        const control = controlCamera(canvas, this.stage.orbit, () => this.askFrame());
        listenToPointer(this, canvas, control, tip);
        if (this.store.state.follow !== null) this.stage.orbit.target.set(0, 0, 0);
    }

    /// Resolves after the first frame.
    async start() {
        this.resize();
        this.plots.start();
        this.results.start();
        this.stage?.setLook(this.store.state);
        await this.nextFrame(false);
        this.readyAfter = performance.now();
        if (this.autoplay) this.playback.play();
    }

    arrange(state) {
        document.documentElement.dataset.theme = state.theme;
        document.documentElement.dataset.view = state.view;
        if (state.mode === 'side' && this.has.several) this.surface.after(this.legend);
        else this.surface.append(this.legend);
        this.motion.toggleAttribute('hidden', state.view === 'results');
        this.results.node.toggleAttribute('hidden', state.view !== 'results');
    }

    changed(state, changed) {
        if (this.stage && !(changed.size === 1 && changed.has('time'))) this.stage.setLook(state);
        this.askFrame();
    }

    resize() {
        if (!this.stage || !this.surface.clientWidth) return;
        this.stage.resize();
        // At once, or the view flickers while its size changes.
        this.draw(false);
        this.drawFineSoon();
    }

    askFrame() {
        if (this.asked) return;
        this.asked = true;
        requestAnimationFrame((now) => {
            this.asked = false;
            this.playback.tick(now);
            const { playing } = this.store.state;
            if (playing) this.stage?.quality.judge(now);
            else this.stage?.quality.rest();
            const waiting = this.waiting.splice(0);
            const fine = !playing && waiting.some((one) => one.fine);
            this.draw(fine);
            if (playing) this.askFrame();
            else if (!fine) this.drawFineSoon();
            for (const { done } of waiting) done();
        });
    }

    /// After nothing has moved for a while.
    drawFineSoon() {
        clearTimeout(this.fineTimer);
        if (!this.stage?.quality.software) return;
        this.fineTimer = setTimeout(() => {
            if (!this.store.state.playing) this.draw(true);
        }, 250);
    }

    /// Resolves once it is drawn; `fine`: as it will stay.
    nextFrame(fine) {
        return new Promise((done) => {
            this.waiting.push({ done, fine });
            this.askFrame();
        });
    }

    draw(fine) {
        const { state } = this.store;
        if (!this.stage || state.view === 'results') return;
        const before = performance.now();
        this.stage.setTime(state);
        // Who asked for a picture may take it at any time.
        this.stage.render(state, fine || (state.view === 'picture' && !state.playing));
        this.card.update(state);
        this.frameTimes.push(performance.now() - before);
        if (this.frameTimes.length > mostFrameTimes) this.frameTimes.shift();
    }

    toggleShown(name) {
        this.store.show({ [name]: !this.store.state.show[name] });
    }

    /// The runs that are drawn are counted, as the legend has them.
    toggleDrawnRun(place) {
        const drawn = this.content.runs.map((run, i) => (run.drawn ? i : -1)).filter((i) => i >= 0);
        if (drawn[place] !== undefined) this.store.toggleRun(drawn[place]);
    }

    nextStyle() {
        this.store.set({ style: styles[(styles.indexOf(this.store.state.style) + 1) % styles.length] });
    }

    toggleTheme() {
        chooseTheme(this.store, this.store.state.theme === 'dark' ? 'light' : 'dark');
    }

    /// While a body is followed, the camera's target is an offset from it.
    follow(body) {
        if (this.stage && body !== this.store.state.follow) {
            const { orbit } = this.stage;
            const [first] = this.stage.shownRuns(this.store.state);
            if (body !== null) orbit.target.set(0, 0, 0);
            else orbit.target.copy(this.stage.target(this.store.state, first));
        }
        this.store.set({ follow: body });
    }

    toggleFollow() {
        const { selected, follow } = this.store.state;
        if (follow !== null && (!selected || selected.body === follow)) this.follow(null);
        else if (selected) this.follow(selected.body);
        else if (this.content.scene.bodies.length > 1) this.follow(1);
    }

    resetCamera() {
        this.store.set({ follow: null });
        this.stage?.orbit.reset();
        this.askFrame();
    }

    showHelp() {
        this.help.showModal();
    }

    showAbout() {
        this.about.showModal();
    }
}
