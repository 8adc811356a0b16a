import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Directory into which scripts/suites/wallets installs wallet code. */
export const kept = process.env.ORDBOOK_TEST_WALLETS ?? ''

export const load = createRequire(join(kept, 'package.json'))
