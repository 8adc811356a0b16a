import type { Area } from './operation.ts'

/** Introduction to each area. The pages add the rest from the operations themselves. */
export const GUIDE: Record<Area, { page: string; text: string }> = {
  Authentication: {
    page: 'authentication',
    text: `A wallet signs in by signing a message for each of its addresses; there are no API keys. Ask for challenges, sign the
exact text of each by BIP-322 (or its to_sign as a PSBT, with a wallet that signs transactions alone), and send the signatures
back. The answer holds a bearer token for one hour. When
it ends, sign in again: nothing renews it. A challenge lives ten minutes and serves once. The payment address must hold a
confirmed minimum (100,000 sats unless the operator says else); it is looked at when the token is issued and not after.`,
  },
  Session: {
    page: 'session',
    text: `The storefront's sign-in, below \`/web/v1\`: the same signatures, and the session comes as a cookie that no script can read. No
funding is asked for, but a wallet without it has a small budget of writes and of the market's coins. Requests that change something must come from a page of the server itself (\`Origin\`). Neither surface takes the
other's credentials. Bots want the API.`,
  },
  Storefront: {
    page: 'storefront',
    text: `Reads of the pages of the server itself, below \`/web/v1\`, most of it without a session. The operations of the API are there
too, at the same paths, with the session's cookie in place of a token, and count against the same rate limits there; the reads that
only pages ask for are counted apart. \`GET /events\` publishes live events ([server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html),
docs/reference/events.md of the repository). Bots want the API.`,
  },
  Profile: {
    page: 'profile',
    text: `The signed-in profile and its wallet bindings, by which writes are made: each names an ordinals address and a payment address.
Every write sends one \`walletBindingId\`.`,
  },
  Collections: {
    page: 'collections',
    text: `Floors and contents. A floor is the lowest price that can be bought now; its changes compare it with the floor of exactly 24
hours and 7 days ago, and are null where there was none. Items come in the order of their inscription sequence, which is
not their number. \`listingState\` says why a listed item cannot be bought at the moment: \`hidden_locked\` while a trade is
under way or something unconfirmed spends its coin, \`pending_public\` while its coin is not in a block. \`sat\` and
\`satributes\` are null and empty where sats are not numbered.`,
  },
  Listings: {
    page: 'listings',
    text: `The order book, and the seller's side. To list: preflight, check and sign both PSBTs of each item and the one recovery, submit
with the same fields and the handles given. Nothing is broadcast until the item sells, and the inscription stays at the
seller's address. Listing again at another price replaces the listing. Delisting is one call; the order's public record
(\`GET /orders/{listingId}\`) says from which moment on the old signatures are worthless.`,
  },
  Escrows: {
    page: 'escrows',
    text: `An inscription is brought into escrow only together with a sale. If the sale then fails on the chain, because its buyer spent
the coins elsewhere, the inscription stays in escrow and is still its owner's: list it again or change its price there (relist), take
it back (reclaim, paid by the market), end every price that was ever signed for it (move, paid by the owner), or leave with the wallet
alone and no market (docs/how-to/leave-escrow.md of the repository). These operations are additive: \`/openapi-public.json\`
describes them, the document of the published interface does not.`,
  },
  Sales: {
    page: 'sales',
    text: `Sales whose block is known, newest first: \`internal\` ones were settled here, \`external\` ones are recognised on the chain, net of
the seller's fees elsewhere. A purchase appears here with its block. Sales of a block that leaves the chain are removed.`,
  },
  'P2P proposals': {
    page: 'proposals',
    text: `Trades that people propose to each other: inscriptions and sats for inscriptions and sats. The API reads the public ones that
are active, each once, also where it offers and wants the same collection. Values are estimates by floor: items without a floor
count nothing. A proposal is not shown while an offered inscription has moved, is being bought, or is spent by something unconfirmed. They are made and taken
back on the storefront's surface.`,
  },
  Buying: {
    page: 'buying',
    text: `1 to 20 listings in one settlement: preflight names the whole cost to the sat and chooses coins from those you offer; sign
the one PSBT; submit. The same submit answers the same, so a lost answer is asked for again. 409 means that the book or a
coin moved: read and prepare again, never with old PSBTs. Inscriptions and rare sats among the coins are passed over.`,
  },
  Offers: {
    page: 'offers',
    text: `Bids. An offer on named inscriptions is a settlement that its buyer signed whole: only the owner's signature is missing. A
counter is the seller's price on an offer, to that buyer alone. A collection-wide or trait offer takes any inscription
that was eligible when it was made; its seller pays the fees. Nothing is broadcast before both sides have signed, and
one coin may back several offers: the first that settles ends the others. A bid counts while it can be taken: if the network's
fee would exceed the seller's net, it stays listed, and neither warns nor forbids a listing below it until fees fall. Warnings
and that refusal rank bids by the seller's net after every fee; lists by price. Owners decline collection and trait
offers on an inscription by decline-bids. An offer whose coins or whose inscription move
is \`invalidated\`, also by a transaction that has no block yet, and \`active\` again if that is dropped or undone. docs/explanation/escrow-and-prices.md of the repository says what each side has to trust.`,
  },
  'Public record': {
    page: 'record',
    text: `Public facts for checks without a sign-in, at the root of the server: the whole history of a listing, and for each
settlement a receipt whose every number can be derived again from a Bitcoin node alone (\`ordbook market receipt\`, or
\`verifyReceipt\` of the SDK).`,
  },
  Content: {
    page: 'content',
    text: `Inscription content, from the root of the server, or from an origin of its own where the operator has one. It is hostile: its
policy gives it an opaque origin and lets it ask for other content and the recursive endpoints alone. It is sent as inscribed, with its
media type and its \`content-encoding\` where the client takes that; for others brotli and gzip are decoded, up to 4 MB. 406 says that
the client takes no form that the server has. One range of bytes is served (\`Range\`, \`If-Range\`), and tags are honoured.`,
  },
  Recursion: {
    page: 'recursion',
    text: `Questions that content may ask about the chain, in the keys of \`ord\` 0.29 (ord handbook, "Recursion"). Pages of any origin
may read the answers, errors included. Nothing that a block can change is cached.`,
  },
  Server: {
    page: 'server',
    text: `Live events, health, figures, and the descriptions of this server. Three OpenAPI documents describe everything that answers:
\`/openapi.json\` the API, \`/web/v1/openapi.json\` the surface of the storefront, \`/openapi-public.json\` the root of the server.`,
  },
  'Errors and rate limits': {
    page: 'errors',
    text: `Errors are \`{"error": "<message>", "code": "<code>", "retryable": <boolean>, "docsUrl": "<entry below>"}\`. Branch on
\`status\` and \`code\`, which are stable; messages may change. Treat an unknown code by its status. If \`retryable\` is true, the same request may
succeed later: repeat it after \`Retry-After\`, or after the next block. After a lost connection, repeat a write with the same body and
\`Idempotency-Key\`: it runs once, and the response is kept for a day.`,
  },
}
