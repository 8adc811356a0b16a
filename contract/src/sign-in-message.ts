export interface SignInFacts {
  /** Host of the market's public URL. */
  host: string
  address: string
  role: 'ordinals' | 'payment'
  challengeId: string
  /** 16 bytes in hex. */
  nonce: string
  issuedAt: Date
  expiresAt: Date
}

/** Builds the sign-in message that a wallet signs (BIP-322). The client rebuilds the market's message before signing. */
export const signInMessage = (facts: SignInFacts): string =>
  [
    `${facts.host} wants you to sign in with your Bitcoin wallet.`,
    '',
    `Address: ${facts.address}`,
    `Role: ${facts.role}`,
    `Challenge: ${facts.challengeId}`,
    `Nonce: ${facts.nonce}`,
    `Issued at: ${facts.issuedAt.toISOString()}`,
    `Expires at: ${facts.expiresAt.toISOString()}`,
  ].join('\n')
