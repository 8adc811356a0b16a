import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printWalletsPage } from './wallets/page.ts'

/** `npm run wallets`: writes docs/reference/wallets.md from the table of tested wallets (sdk/src/wallets/matrix.ts). */
writeFileSync(join(import.meta.dirname, '../docs/reference/wallets.md'), printWalletsPage())
