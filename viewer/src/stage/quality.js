// How finely is drawn. With a graphics card: as fine as the screen, always. Without one, motion comes first:
// while it plays the picture gets coarser until it is smooth; once it stands still it is drawn again, finely.

/// Whether WebGL is computed by the processor; null where there is none at all.
export function findSoftware() {
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) return null;
    const names = gl.getExtension('WEBGL_debug_renderer_info');
    const name = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

const coarsest = 0.5;
const slow = 1000 / 28;
const fast = 1000 / 50;
const framesToJudge = 12;

export class Quality {
    constructor(software) {
        this.software = software;
        this.screen = Math.min(2, window.devicePixelRatio);
        this.moving = this.software ? 1 : this.screen;
        this.last = null;
        this.times = [];
    }

    /// Pixels drawn per pixel of the page. Twice as many take the place of the antialiasing that costs too
    /// much in motion.
    ratio(playing) {
        if (!this.software) return this.screen;
        return playing ? this.moving : 2;
    }

    /// Called for every frame of a motion, with its time in milliseconds.
    judge(now) {
        if (this.last !== null) this.times.push(now - this.last);
        this.last = now;
        if (!this.software || this.times.length < framesToJudge) return;
        const mean = this.times.reduce((sum, time) => sum + time, 0) / this.times.length;
        this.times = [];
        if (mean > slow) this.moving = Math.max(coarsest, this.moving * 0.8);
        else if (mean < fast) this.moving = Math.min(1, this.moving * 1.1);
    }

    /// The motion stopped.
    rest() {
        this.last = null;
        this.times = [];
    }
}
