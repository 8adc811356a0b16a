import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Folder into which scripts/suites/wallets installs the wallets' code. */
export const kept = process.env.ORDBOOK_TEST_WALLETS ?? ''

export const load = createRequire(join(kept, 'package.json'))
