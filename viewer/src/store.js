// What the page shows at present, in one place: controls change it, views listen.

export function createStore(initial) {
    const state = { ...initial };
    const listeners = [];
    return {
        state,
        /// Listeners get the state and the set of members that changed.
        listen(listener) {
            listeners.push(listener);
        },
        set(changes) {
            const changed = new Set();
            for (const [key, value] of Object.entries(changes)) {
                if (Object.is(state[key], value)) continue;
                state[key] = value;
                changed.add(key);
            }
            if (changed.size) for (const listener of listeners) listener(state, changed);
        },
        show(changes) {
            this.set({ show: { ...state.show, ...changes } });
        },
        toggleRun(index) {
            this.set({ visible: state.visible.map((on, i) => (i === index ? !on : on)) });
        },
    };
}
