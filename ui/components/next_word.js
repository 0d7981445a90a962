/* The most likely next words as bars; a click on one forces it. */

/** `force({ id, label })` is called for a candidate that is clicked. */
function barsPart(parent, host, force) {
  const list = el('ul', { class: 'bars' });
  const rest = el('p', { class: 'rest' });
  parent.append(el('div', { class: 'bars-place' }, list, rest));
  const rows = [];

  const rowAt = (i) => {
    if (rows[i]) return rows[i];
    const word = el('bdi', { class: 'bar-word', dir: 'auto' });
    const fill = el('span', { class: 'bar-fill' });
    const number = el('span', { class: 'bar-number' });
    const tag = el('span', { class: 'bar-tag' });
    const row = { word, fill, number, tag, candidate: null };
    row.button = el(
      'button',
      { type: 'button', class: 'bar', onclick: () => !row.isChosen && !row.isBarred && force(row.candidate) },
      word,
      el('span', { class: 'bar-track' }, fill, el('span', {}, number, tag)),
    );
    row.item = el('li', { class: 'bar-row' }, row.button);
    rows[i] = row;
    return row;
  };

  return {
    /** step: { ids, labels, probabilities, chosen: id | null, forced, cut: { count, label } | null, barred: [id], fixed: id | null, rest: [n, p], extra }. */
    update(step, kind) {
      list.style.setProperty('--kind', host.kindColour(kind));
      const shown = [];
      let kept = 0;
      const put = (i, id, label, probability, note = '') => {
        const row = rowAt(i);
        row.candidate = { id, label };
        row.isChosen = id === step.chosen;
        row.isBarred = step.barred.includes(id);
        row.word.textContent = visible(label);
        // 62 % of the track is a probability of 1; the number stands right of its bar.
        row.fill.style.width = `${(probability * 62).toFixed(2)}%`;
        row.number.textContent = percent(probability, 1);
        row.tag.textContent = row.isChosen && step.forced ? 'forced' : row.isBarred ? 'never written' : id === step.fixed ? 'always first' : note;
        row.button.classList.toggle('chosen', row.isChosen);
        row.button.classList.toggle('barred', row.isBarred);
        row.button.setAttribute('aria-disabled', String(row.isBarred));
        row.button.title = label;
        row.button.setAttribute('aria-label', `${visible(label)}, ${percent(probability, 1)}${row.isChosen ? ', written' : row.isBarred ? ', never written' : ', force this word'}`);
        shown.push(row.item);
        kept += !row.isBarred; // what is passed over is not counted
        if (step.cut && !row.isBarred && kept === step.cut.count) shown.push(el('li', { class: 'cut' }, el('span', {}, step.cut.label)));
      };
      step.ids.forEach((id, i) => put(i, id, step.labels[i], step.probabilities[i]));
      if (step.extra) put(step.ids.length, step.chosen, step.extra.label, step.extra.probability, `rank ${step.extra.rank.toLocaleString('en')}`);
      const same = shown.length === list.children.length && shown.every((node, i) => node === list.children[i]);
      if (!same) list.replaceChildren(...shown);
      const [count, mass] = step.rest;
      rest.textContent = count ? `${count.toLocaleString('en')} others: ${percent(mass, 1)}${step.cut && step.cut.count > step.ids.length ? ` · ${step.cut.label} keeps ${step.cut.count.toLocaleString('en')} words` : ''}` : '';
    },
  };
}
