import type { OnSigned, SigningRequest } from '../wallet.ts'

/** Signs one PSBT after the other, for wallets that take one at a time. Ends where `onSigned` throws. */
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

/** The members of an input to sign that sats-connect and Phantom document. */
export const brieflyOf = ({ address, signingIndexes, sigHash }: SigningRequest['inputsToSign'][number]) => ({
  address,
  signingIndexes,
  ...(sigHash === undefined ? {} : { sigHash }),
})
