/** Whether suites try as much as the market is held to (`npm run test:suite -- thorough`), which takes hours. */
export const isThorough = Boolean(process.env.ORDBOOK_TEST_THOROUGH)
const isQuick = process.env.ORDBOOK_TEST_EFFORT === 'quick'

/** Samples of a suite: usually, in `npm run test:suite -- thorough`, and in `npm test`. */
export const sampled = <T>(usual: T, thorough: T, few = usual): T =>
  isThorough ? thorough : isQuick ? few : usual
