import type { Trader } from './trade.ts'
import type { InputToSign, Wallet } from './wallet.ts'

/** A step, signed by the wallet. */
export async function signed<S extends { psbtBase64: string; inputsToSign: InputToSign[] }>(
  wallet: Wallet,
  step: S,
): Promise<S> {
  return { ...step, psbtBase64: await wallet.signPsbt(step.psbtBase64, step.inputsToSign) }
}

/** Steps, signed in order, or at once where the wallet can. */
export async function allSigned<S extends { psbtBase64: string; inputsToSign: InputToSign[] }>(
  wallet: Wallet,
  steps: readonly S[],
): Promise<S[]> {
  if (wallet.signPsbts && steps.length > 1) {
    const psbts = await wallet.signPsbts(steps)
    return steps.map((step, n) => ({ ...step, psbtBase64: psbts[n]! }))
  }
  const done: S[] = []
  for (const step of steps) done.push(await signed(wallet, step))
  return done
}

/** A coin as requests name it. */
export const plain = ({ txid, vout, valueSats }: { txid: string; vout: number; valueSats: number }) => ({
  txid,
  vout,
  valueSats,
})

/** The market's keys, asked once and held to from then on. */
export async function keysOf(trader: Trader): Promise<{ cosignKey: string; guardianKey: string }> {
  if (!trader.cosignKey || !trader.guardianKey) {
    const keys = await trader.client.call('getMarketKeys')
    trader.cosignKey ??= keys.cosignKey
    trader.guardianKey ??= keys.guardianKey
  }
  return { cosignKey: trader.cosignKey, guardianKey: trader.guardianKey }
}
