/** Whether suites try as much as the market is held to (`npm run test:thorough`), which takes hours; else a sample of it. */
export const isThorough = Boolean(process.env.ORDBOOK_TEST_THOROUGH)

/** The number of samples that a suite tries: enough to notice a mistake, or as much as the market is held to. */
export const sampled = (quick: number, thorough: number): number => (isThorough ? thorough : quick)
