/** Jobs as HTML: their progress, the link to their result, and the part of their page that stays current. */

import { isUnfinished } from '../../definition/job.ts'
import type { FieldModel, Stored } from '../../definition/model.ts'
import { readField } from '../../store/row-fields.ts'
import type { ItemView } from '../../views/view.ts'
import { phrase } from '../page-language.ts'
import { escapeText, html, type Markup } from './markup.ts'

/** Seconds between two looks at a job: by script, and by loading the page again. */
const scriptInterval = 1
const reloadInterval = 3

/** The value of a field of a job that has markup of its own; undefined for all others. */
export function jobValue(
  { visibleFields }: ItemView,
  { name }: FieldModel,
  stored: Exclude<Stored, null>,
): string | undefined {
  if (!visibleFields.resource.traits.job) return undefined
  if (name === 'progress') return progressBar(Number(stored))
  if (name !== 'result') return undefined
  const uri = escapeText(String(stored))
  return `<a href="${uri}">${uri}</a>`
}

function progressBar(value: number): string {
  const percent = `${Math.floor(value * 100)} %`
  return `<progress max="1" value="${value}" aria-label="${escapeText(phrase`Progress`)}">${percent}</progress> ${percent}`
}

/** Of the page of a job that has not ended: the part that the script keeps current. */
export function currentPart(item: ItemView, content: Markup): Markup {
  if (!item.visibleFields.resource.traits.job) return content
  const live = isRunning(item) && html` data-live="${scriptInterval}"`
  return html`<div id="job"${live}>
${content}
</div>`
}

/** Seconds after which a browser without script loads the page again; undefined for what does not change. */
export function refreshInterval(item: ItemView): number | undefined {
  return isRunning(item) ? reloadInterval : undefined
}

function isRunning({ row, visibleFields }: ItemView): boolean {
  const { resource } = visibleFields
  return resource.traits.job === true && isUnfinished(readField(resource, row, 'status'))
}
