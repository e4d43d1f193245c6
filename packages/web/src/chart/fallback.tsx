import { Component, type ReactNode } from "react";

interface Props {
  /** Shown instead of what cannot be drawn. */
  readonly instead: ReactNode;
  readonly children: ReactNode;
}

/** A drawing that fails, or whose code cannot be loaded, must not take the page along. */
export class OrElse extends Component<Props, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
