export const DEFAULT_LANG = 'en_US'

const texts = {
  'The market starts': 0,
  'The market': 1,
  'The market is open': 2,
  'The market is not open yet': 3,
  Database: 4,
  'The database is ready': 5,
  'The database is not ready': 6,
  'ord server': 7,
  'The ord server answers': 8,
  'The ord server does not answer': 9,
  Keys: 10,
  'The keys are ready': 11,
  'The keys are not ready': 12,
  'Pages and API of the market, for everyone who reaches this address': 13,
  Settings: 14,
  'The address of the market, its name and its fees': 15,
  'Address that visitors use': 16,
  'Wallets sign for this address: visitors who come by another one cannot sign in.': 17,
  'Name of the market': 18,
  'Fee on sellers, in basis points of the price': 19,
  'Fee on buyers, in basis points of the price': 20,
  "Show the market's address": 21,
  'The address to which you send the sats that listings and purchases take': 22,
  'Send a few hundred thousand sats there. The market splits them into coins.': 23,
  'The market is not open yet: it shows its address once it is.': 24,
  'Add a collection': 25,
  'Makes a collection of the children of an inscription': 26,
  'Id of the parent inscription': 27,
  'Short name, for addresses of pages': 28,
  'Name of the collection': 29,
  'Visitors need an address at which they reach the market': 30,
  'Added. Its inscriptions come within minutes.': 31,
} as const

export type I18nKey = keyof typeof texts
export type LangDict = Record<(typeof texts)[I18nKey], string>
export default texts
