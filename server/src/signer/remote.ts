import type { MarketKeys, Signed, Signer } from './signer.ts'
import { callsTo } from './socket.ts'

/** Connects to a signer process. Throws unavailable when it does not answer or does not hold the secret. */
export async function remoteSigner(socket: string, secret: Uint8Array): Promise<Signer> {
  const ask = callsTo<Signer>(socket, secret, 'signer')
  return {
    keys: await ask<MarketKeys>('keys', {}),
    signSettlement: (settlement) => ask<Signed[]>('signSettlement', settlement),
    signCounter: (counter) => ask<Signed[]>('signCounter', counter),
    signCounterRecovery: (recovery) => ask<Signed>('signCounterRecovery', recovery),
    signFill: (fill) => ask<Signed[]>('signFill', fill),
    signRecovery: (recovery) => ask<Signed>('signRecovery', recovery),
    signCoins: (coins) => ask<Signed>('signCoins', coins),
    revoke: (transferTxids) => ask('revoke', transferTxids),
    revoked: (transferTxids) => ask<string[]>('revoked', transferTxids),
  }
}
