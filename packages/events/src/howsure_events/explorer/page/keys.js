// Keys of the labelling room: one for each button, unless somebody types, or has switched them off.

const NATIVE = "button, a, summary, input, select, textarea";

// `actions` by the name of a key, as in {Enter: save}. Enter and Space on a button press that button.
export function listenToKeys(actions, isOn) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing || !isOn()) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const on = event.target.closest?.(NATIVE);
    const types = on?.matches('input:not([type="checkbox"]), select, textarea');
    if (!Object.hasOwn(actions, key) || types || (on && key === "Enter")) return;
    event.preventDefault();
    actions[key]();
  });
}
