/** The facts of the text that a wallet signs to sign in. */
export interface SignInFacts {
  /** Of the market's public address. */
  host: string
  address: string
  role: 'ordinals' | 'payment'
  challengeId: string
  /** 16 bytes in hex. */
  nonce: string
  issuedAt: Date
  expiresAt: Date
}

/** The text that a wallet signs to sign in (BIP-322). The market makes it, and a client makes it again before its wallet signs. */
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
