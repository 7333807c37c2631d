// How much an answer has moved: from 0, not at all, to 1, as far as it can.

/** The total variation between two distributions, or the Hellinger distance between two normal ones. */
export function change(now, before, isDiscrete) {
  if (!now || !before) return 0;
  if (isDiscrete) return now.reduce((sum, number, state) => sum + Math.abs(number - before[state]), 0) / 2;
  const [[mean, deviation], [oldMean, oldDeviation]] = [now, before];
  const variance = deviation ** 2 + oldDeviation ** 2;
  if (variance === 0) return mean === oldMean ? 0 : 1;
  const overlap = Math.sqrt((2 * deviation * oldDeviation) / variance) * Math.exp(-((mean - oldMean) ** 2) / (4 * variance));
  return Math.sqrt(Math.max(1 - overlap, 0));
}

/** The state whose probability moved furthest. */
export function movedMost(now, before) {
  let found = 0;
  now.forEach((number, state) => {
    if (Math.abs(number - before[state]) > Math.abs(now[found] - before[found])) found = state;
  });
  return found;
}
