import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The folder in which scripts/suites/wallets keeps the wallets' code. */
export const kept = process.env.ORDBOOK_TEST_WALLETS ?? ''

/** A package of that folder. */
export const load = createRequire(join(kept, 'package.json'))
