// Bell curves.

/** The range in which a variable is drawn: four deviations around its mean before any evidence, and the curve after it. */
export function span([mean, deviation], prior) {
  const [center, width] = prior ?? [mean, deviation];
  const reach = 4 * Math.max(width, 1e-9);
  return [Math.min(center - reach, mean - deviation), Math.max(center + reach, mean + deviation)];
}

/** The `d` of a bell over `[low, high]` in a box of this size, its foot at the lower edge, cut at the upper edge. */
export function bell([mean, deviation], [low, high], width, height, tallest) {
  const x = (value) => ((value - low) / (high - low)) * width;
  if (deviation <= 0) return `M${x(mean)} ${height}V0`;
  const points = Array.from({ length: 61 }, (_, step) => {
    const value = low + ((high - low) * step) / 60;
    const density = Math.exp(-0.5 * ((value - mean) / deviation) ** 2) / deviation;
    return `${x(value).toFixed(1)} ${(height * (1 - Math.min(density * tallest, 1))).toFixed(1)}`;
  });
  return `M0 ${height}L${points.join("L")}L${width} ${height}`;
}

/** Draws the curve before the evidence and the one after it in a box. */
export class Bells {
  constructor(prior, posterior, width, height) {
    Object.assign(this, { prior, posterior, width, height });
  }

  show(now, before) {
    const range = span(now, before);
    const narrowest = Math.min(...[now, before ?? now].map(([, deviation]) => deviation).filter((deviation) => deviation > 0));
    const tallest = Number.isFinite(narrowest) ? 0.94 * Math.max(narrowest, (range[1] - range[0]) / 40) : 0;
    this.posterior.setAttribute("d", bell(now, range, this.width, this.height, tallest));
    this.prior.setAttribute("d", before ? bell(before, range, this.width, this.height, tallest) : "");
  }
}
