/** The words of an item's page. */
export const inscription = {
  trade: 'The trade',
  theTrade: 'Trade',
  inNoCollection: 'It is in no collection of this market, so it is not traded here.',
  notListed: 'Not listed.',
  floorIs: 'The floor of its collection is',
  /** By the state of a listing. */
  sale: {
    buyable: 'For sale',
    hidden_locked: 'Sale pending',
    pending_public: 'For sale after the next block',
  },
  listed: 'listed',
  ends: 'ends',
  offers: 'The offers',
  activity: 'The activity',
  notIndexed: 'Not indexed yet. It appears once its block is scanned.',
  noOwner: 'No owner (unbound)',
  traits: 'Traits',
  beside: 'Items beside it',
  previous: (name: string) => `Previous: ${name}`,
  next: (name: string) => `Next: ${name}`,
  rankOf: (items: string) => `of ${items}`,
  also: 'Also in its coin',
  alsoWhy: 'It goes with the inscription to a buyer.',
  onMarket: 'On this market',
  movesFrom: (height: string) => `This market does not know every move before block ${height}.`,
} as const
