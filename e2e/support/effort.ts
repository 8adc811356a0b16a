/** True for `npm run test:suite -- thorough`, which takes hours. */
export const isThorough = Boolean(process.env.ORDBOOK_TEST_THOROUGH)
const isQuick = process.env.ORDBOOK_TEST_EFFORT === 'quick'

/** Selects a sample size: `usual` by default, `thorough` for `npm run test:suite -- thorough`, `few` for `npm test` and `.ci/run`. */
export const sampled = <T>(usual: T, thorough: T, few = usual): T =>
  isThorough ? thorough : isQuick ? few : usual
