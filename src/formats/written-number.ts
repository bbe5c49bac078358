/** Numbers in forms as people write them: with the decimal sign of the page and grouped digits. */

import type { FieldModel } from '../definition/model.ts'
import type { QueryPair } from '../http/query-string.ts'

/** The name of the hidden input with the decimal sign of the page. Without it, numbers are read as in JSON. */
export const decimalSignName = '_decimal'

export type DecimalSign = '.' | ','

/** The decimal sign that a form names; undefined if it names none. */
export function findDecimalSign(pairs: readonly QueryPair[]): DecimalSign | undefined {
  const sign = pairs.find(([name]) => name === decimalSignName)?.[1]
  return sign === '.' || sign === ',' ? sign : undefined
}

/** Whether the values of the field are numbers: in JSON, or exact decimals. Other amounts, such as durations, are not. */
export function isNumber({ kind }: Pick<FieldModel, 'kind'>): boolean {
  return kind.shape === 'number' || kind.column === 'decimal'
}

/** An exact number, as an input shows it. */
export function writeNumber(exact: string, sign: DecimalSign): string {
  return exact.replace('.', sign)
}

/** The exact number, or the two that the text can mean. A text that is no number stays as it is. */
export type ReadNumber = { readonly exact: string } | { readonly meanings: readonly [string, string] }

/**
 * Reads a number with a decimal sign, and with digits grouped by the other sign, spaces or apostrophes. With a comma as
 * the decimal sign, a point is read as a decimal sign only where it cannot group digits: `12.50`. Where it could, as in
 * `1.234`, the text has two meanings, except for whole numbers.
 */
export function readNumber(written: string, sign: DecimalSign, isWhole: boolean): ReadNumber {
  const text = written.trim().replace(/^\u2212/, '-')
  const { plain, grouped } = patterns[sign]
  const [, digits, ...rest] = plain.exec(text) ?? []
  if (digits !== undefined) return { exact: joinNumber(digits, rest) }
  const [, whole, group = '', ...end] = grouped.exec(text) ?? []
  if (whole === undefined) return { exact: text }
  const isUnclear = group === '.' && end[0] === undefined && whole.split(group).length === 2 && !isWhole
  if (isUnclear) return { meanings: [whole.replace(group, ''), whole.replace(group, sign)] }
  return { exact: joinNumber(whole.replaceAll(group, ''), end) }
}

const patterns = { '.': patternsWith('.', ','), ',': patternsWith(',', '.') }

function patternsWith(sign: DecimalSign, other: DecimalSign) {
  const end = `(?:\\${sign}(\\d+))?([eE][+-]?\\d+)?$`
  return {
    plain: new RegExp(`^(-?\\d+)${end}`),
    grouped: new RegExp(`^(-?[1-9]\\d{0,2}(?:([${other}'’\\s])\\d{3})(?:\\2\\d{3})*)${end}`),
  }
}

function joinNumber(whole: string, [fraction, exponent = '']: readonly (string | undefined)[]): string {
  return `${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent}`
}
