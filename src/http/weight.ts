/** Weights (RFC 9110 §12.4.2): how much a client prefers one choice to another. */

/**
 * A qvalue in thousandths, so that weights compare exactly; undefined where the text is none.
 * A choice without a weight has the weight 1, which is `fullWeight`.
 */
export function parseWeight(text: string): number | undefined {
  if (!qvalue.test(text)) return undefined
  return Math.round(Number(text) * fullWeight)
}

export const fullWeight = 1000

const qvalue = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/
