// Light or dark: as the system has it until the button is pressed.

export function systemTheme() {
    return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function followSystemTheme(store) {
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
        if (!store.state.themeChosen) store.set({ theme: systemTheme() });
    });
}

export function chooseTheme(store, theme) {
    store.set({ theme, themeChosen: true });
}
