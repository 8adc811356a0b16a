import type { SigningRequest } from '../wallet.ts'

/** Signs one PSBT after the other, for wallets that take one at a time. */
export async function oneByOne(
  requests: readonly SigningRequest[],
  sign: (request: SigningRequest) => Promise<string>,
): Promise<string[]> {
  const signed: string[] = []
  for (const request of requests) signed.push(await sign(request))
  return signed
}

/** The members of an input to sign that sats-connect and Phantom document. */
export const brieflyOf = ({ address, signingIndexes, sigHash }: SigningRequest['inputsToSign'][number]) => ({
  address,
  signingIndexes,
  ...(sigHash === undefined ? {} : { sigHash }),
})
