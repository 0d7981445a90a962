/* Written by `python -m ui.web` from core/model/config.py. */

/** Options that the decoder may have otherwise than the encoder, as `decoder_heads` and so on. */
export const PER_STACK = ['heads', 'head_dim', 'd_ff', 'norm_placement', 'norm_formula', 'norm_eps', 'final_norm', 'activation', 'gated', 'embedding_scale'] as const;
