import type { Adapter } from './adapter.ts'
import { leather } from './leather.ts'
import { magicEden } from './magic-eden.ts'
import { okx } from './okx.ts'
import { phantom } from './phantom.ts'
import { unisat } from './unisat.ts'
import { xverse } from './xverse.ts'

/** Wallets that are browser extensions, in display order. */
export const browserWallets: readonly Adapter[] = [xverse, unisat, leather, okx, magicEden, phantom]
