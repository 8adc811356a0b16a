/**
 * The number of samples that a suite tries: enough to notice a mistake, or, where ORDBOOK_TEST_THOROUGH is set, as much as the
 * market is held to (`npm run test:thorough`).
 */
export const sampled = (quick: number, thorough: number): number =>
  process.env.ORDBOOK_TEST_THOROUGH ? thorough : quick
