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
  'The ord server is ready': 8,
  'The ord server is not ready': 9,
  Keys: 10,
  'The keys are ready': 11,
  'The keys are not ready': 12,
  'Public pages and API of the market': 13,
  Settings: 14,
  'Address, name and fees of the market': 15,
  'Address that visitors use': 16,
  'Wallets sign for this address. Visitors cannot sign in at any other address.': 17,
  'Name of the market': 18,
  'Fee on sellers, in basis points of the price': 19,
  'Fee on buyers, in basis points of the price': 20,
  "Show the market's address": 21,
  'The address to fund with the sats that listings and purchases need': 22,
  'Send 500,000 sats to this address. The market splits them into coins.': 23,
  'The market is not open yet. Its address is available once it is open.': 24,
  'Add a collection': 25,
  'Creates a collection of the children of an inscription': 26,
  'Id of the parent inscription': 27,
  'Short name, for URLs': 28,
  'Name of the collection': 29,
  'Set the address that visitors use': 30,
  'Added. Its inscriptions appear within minutes.': 31,
} as const

export type I18nKey = keyof typeof texts
export type LangDict = Record<(typeof texts)[I18nKey], string>
export default texts
