import type { MarketKeys, Signed, Signer } from './requests.ts'
import { callsTo, type Unreachable } from './transport.ts'

/** Connects to a signer process. */
export async function remoteSigner(
  socket: string,
  secret: Uint8Array,
  unreachable: Unreachable = (message, cause) => new Error(message, { cause }),
): Promise<Signer> {
  const ask = callsTo<Signer>(socket, secret, 'signer', unreachable)
  return {
    keys: await ask<MarketKeys>('keys', {}),
    signSettlement: (settlement) => ask<Signed[]>('signSettlement', settlement),
    signCounter: (counter) => ask<Signed[]>('signCounter', counter),
    signFill: (fill) => ask<Signed[]>('signFill', fill),
    signRecovery: (recovery) => ask<Signed>('signRecovery', recovery),
    signCoins: (coins) => ask<Signed>('signCoins', coins),
    revoke: (transferTxids) => ask('revoke', transferTxids),
    revoked: (transferTxids) => ask<string[]>('revoked', transferTxids),
  }
}
