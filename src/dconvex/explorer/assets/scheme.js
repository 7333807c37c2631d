// Light or dark: as in the system until the button is pressed, and from then on as it was chosen.

import { icon } from "./icons.js";
import { remember, remembered } from "./memory.js";

export function offerSchemes(button) {
  const { style } = document.documentElement;
  const chosen = remembered("scheme");
  if (["light", "dark"].includes(chosen)) style.colorScheme = chosen;
  button.append(icon("scheme"));
  button.onclick = () => {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    style.colorScheme = (style.colorScheme || system) === "dark" ? "light" : "dark";
    remember("scheme", style.colorScheme);
  };
}
