export const accountSwitch = {
  title: 'Your wallet switched accounts',
  to: 'Your wallet switched to',
  unnamed: 'Your wallet switched to another account.',
  ask: "Continue with this account? You sign a message, then the pages show the account's items.",
  signedIn: 'You are signed in as',
  stay: 'To keep this account, switch back in the wallet before you sign.',
  go: 'Switch account',
  keep: 'Not now',
} as const
