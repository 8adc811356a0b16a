/** What differs between chains. */
export interface ChainRules {
  jubileeHeight: number
  firstInscriptionHeight: number
  halvingInterval: number
}

/** Heights from ord's chain definitions. */
export const RULES: Record<string, ChainRules> = {
  main: { jubileeHeight: 824_544, firstInscriptionHeight: 767_430, halvingInterval: 210_000 },
  test: { jubileeHeight: 2_544_192, firstInscriptionHeight: 2_413_343, halvingInterval: 210_000 },
  signet: { jubileeHeight: 175_392, firstInscriptionHeight: 112_402, halvingInterval: 210_000 },
  regtest: { jubileeHeight: 110, firstInscriptionHeight: 0, halvingInterval: 150 },
}
