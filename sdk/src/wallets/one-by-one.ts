import type { OnSigned, SigningRequest } from '../wallet.ts'

/** Signs PSBTs one by one, for wallets without batches. Stops if `onSigned` throws. */
export async function oneByOne(
  requests: readonly SigningRequest[],
  onSigned: OnSigned | undefined,
  sign: (request: SigningRequest) => Promise<string>,
): Promise<string[]> {
  const signed: string[] = []
  for (const [n, request] of requests.entries()) {
    signed.push(await sign(request))
    onSigned?.(n, signed[n]!)
  }
  return signed
}

/** `windowsFor` of a wallet that shows each PSBT in a separate window. */
export const oneEach = (psbts: number): number => psbts

/** Reduces an input to the documented members of sats-connect and Phantom. Wallets use DEFAULT if no type is named. */
export const brieflyOf = ({ address, signingIndexes, sigHash }: SigningRequest['inputsToSign'][number]) => ({
  address,
  signingIndexes,
  ...(sigHash ? { sigHash } : {}),
})
