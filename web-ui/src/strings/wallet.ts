/** Texts of a switch of accounts in the visitor’s wallet. */
export const accountSwitch = {
  title: 'Your wallet switched accounts',
  to: 'Your wallet switched to',
  unnamed: 'Your wallet switched to another account.',
  ask: "Continue with it? You sign a message, and the pages show that account's items.",
  signedIn: 'You are signed in as',
  stay: 'To stay with it, switch back in the wallet before you sign.',
  go: 'Continue with it',
  keep: 'Not now',
} as const
