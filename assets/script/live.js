/** Parts of a page that follow changes. */

import { enhancePart, focusedPlace, focusOnCell } from './lists.js'
import { loadPage } from './pages.js'

/** Reloads this part of the page periodically while the page is visible, until the part is not live any more. */
export function keepCurrent(part) {
  const timer = setInterval(async () => {
    if (document.visibilityState !== 'visible') return
    const fresh = await reloadPart(part)
    if (fresh && fresh.dataset.live === undefined) clearInterval(timer)
  }, Number(part.dataset.live) * 1000)
}

/** The markup of parts as the service sent it. */
const sentMarkup = new WeakMap()

/** Returns the new part; undefined where there is none. A part that is the same is not replaced. */
async function reloadPart(part) {
  const { ok, page } = await loadPage(location.href)
  const fresh = ok && page.getElementById(part.id)
  // A selection or an edit would be lost.
  if (!fresh || part.querySelector('.pick input:checked, .editor')) return undefined
  if (fresh.innerHTML === sentMarkup.get(part)) return fresh
  sentMarkup.set(part, fresh.innerHTML)
  const place = focusedPlace(part)
  part.replaceChildren(...fresh.childNodes)
  enhancePart(part)
  if (place) focusOnCell(part.querySelector('.list'), place)
  return fresh
}

/** Reloads this part of the page when its items change. A hidden page holds no stream. */
export function followChanges(part) {
  sentMarkup.set(part, part.innerHTML)
  let stream
  let timer
  const reload = () => {
    clearTimeout(timer)
    timer = setTimeout(() => reloadPart(part), 200)
  }
  const follow = () => {
    if (document.visibilityState !== 'visible') {
      stream?.close()
      stream = undefined
    } else if (!stream) {
      stream = new EventSource(part.dataset.changes)
      // Changes before the stream began are found by reloading once it is open.
      for (const kind of ['open', 'created', 'updated', 'deleted', 'reset']) {
        stream.addEventListener(kind, reload)
      }
    }
  }
  document.addEventListener('visibilitychange', follow)
  follow()
}
